/** `GET /audit`, `/audit/{id}`, `/audit/stream`: the records of the audit log (decision-log.md §6). */

import { RequestRefused } from "../../../http/errors.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { PAGING } from "../../rest/declared.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { stillPermitted } from "../still-permitted.ts";
import type { AuditRecords } from "./ports.ts";
import { listRecords, oneRecord } from "./read-records.ts";
import { AUDIT_FILTERS, recordQuery } from "./record-query.ts";
import { openRecordStreams } from "./record-stream.ts";

const READ_AUDIT = { action: "auth:ReadAudit", resource: "*" } as const;

const SHARED = {
  access: "permitted",
  permission: READ_AUDIT,
  method: "GET",
  priority: "bulk",
  tag: "audit",
} as const;

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
  {
    ...SHARED,
    id: "listAudit",
    path: `${BASE_PATH}/audit`,
    summary: "List records of the audit log",
    description: "Newest first, of this node and all its processes, which the answer names.",
    query: [...AUDIT_FILTERS, ...PAGING.filter(({ name }) => name !== "prefix")],
    answer: {
      status: 200,
      description: "A page, newest first.",
      schema: schemaRef("AuditRecordList"),
      example: {
        pagination: { has_more: false, max_per_page: 1000, results: 1, next_offset: "" },
        node: "node-1",
        chains: ["node-1-0"],
        results: [RECORD],
      },
    },
    errors: [400],
    handler: (parts) => (call) => listRecords(call, recordsOf(parts), recordQuery(call.query, AUDIT_FILTERS)),
  },
  {
    ...SHARED,
    id: "streamAudit",
    path: `${BASE_PATH}/audit/stream`,
    summary: "Follow the audit log",
    description: "Server-sent events: one for each record that is written from now on, within a second.",
    query: AUDIT_FILTERS,
    answer: {
      status: 200,
      description: "The events.",
      type: "text/event-stream",
      schema: { type: "string" },
      example: `data: ${JSON.stringify(RECORD)}\n\n`,
    },
    errors: [400],
    handler: (parts) => {
      const streams = openRecordStreams();
      return (call) => {
        const query = recordQuery(call.query, AUDIT_FILTERS);
        return streams.serve(call, recordsOf(parts), query, stillPermitted(parts, call, READ_AUDIT));
      };
    },
  },
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
      const record = await oneRecord(call.params, recordsOf(parts));
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
