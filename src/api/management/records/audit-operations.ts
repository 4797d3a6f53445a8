/** `GET /audit`, `/audit/{id}`, `/audit/stream`: the records of the audit log (spec/decision-log §6). */

import { RequestRefused } from "../../../http/errors.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import type { AuditRecords } from "./ports.ts";
import { oneRecord } from "./read-records.ts";
import { AUDIT_FILTERS } from "./record-query.ts";
import { listAndStream, sharedBy } from "./records-of-log.ts";

const SHARED = sharedBy("audit", "auth:ReadAudit");

const RECORD = {
  format: 1,
  at: "2026-11-22T09:30:01.250Z",
  node: "node-1",
  id: "a-3f9c2a7b81d0-1a",
  event: "write",
  actor: "root",
  how: "access_key",
  request_id: "8f1c",
  source_ip: "10.0.0.9",
  operation: "attachPolicyToUser",
  revision: 42,
  changes: [{ kind: "attachment", name: "ReadData", of: "user alice", before: null, after: {} }],
};

/** The operations. */
export const AUDIT_OPERATIONS: readonly UserDeclaration[] = [
  ...listAndStream({
    shared: SHARED,
    path: `${BASE_PATH}/audit`,
    list: { id: "listAudit", summary: "List records of the audit log", schema: "AuditRecordList" },
    stream: { id: "streamAudit", summary: "Follow the audit log" },
    filters: AUDIT_FILTERS,
    example: RECORD,
    recordsOf,
  }),
  {
    ...SHARED,
    id: "getAuditRecord",
    path: `${BASE_PATH}/audit/{auditId}`,
    summary: "Get a record of the audit log",
    description: "With what was before and after each change. Secrets are in no record.",
    answer: {
      status: 200,
      description: "The record.",
      schema: schemaRef("AuditRecordAnswer"),
      example: { record: RECORD },
    },
    errors: [404],
    missing: "no record of that id",
    handler: (parts) => async (call) => {
      const record = await oneRecord(call.params, recordsOf(parts), parts);
      return { status: 200, body: `{"record":${record}}` };
    },
  },
];

/** The records; throws "not_found" where none are kept. */
function recordsOf({ auditRecords }: ManagementParts): AuditRecords {
  if (auditRecords !== undefined) return auditRecords;
  const message = "no records of the audit log are kept (authorizer.audit.directory is not set)";
  throw new RequestRefused(404, message, [], "not_found");
}
