/** `GET /decisions`, `/decisions/{id}`, `/decisions/stream`: the records of decisions (spec/decision-log §3). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import type { DecisionRecords } from "./ports.ts";
import { oneRecord } from "./read-records.ts";
import { RECORD_FILTERS } from "./record-query.ts";
import { listAndStream, sharedBy } from "./records-of-log.ts";

const SHARED = sharedBy("decisions", "auth:ReadDecisions");

const EXPLAIN: Parameter = {
  name: "explain",
  in: "query",
  description: "Also explain the record on the directory of its revision.",
  schema: { type: "boolean", default: false },
};

const RECORD = {
  format: 1,
  id: "d-3f9c2a7b81d0-1a",
  at: "2026-11-22T09:30:01.250Z",
  node: "node-1",
  revision: 41,
  entry: "9PdWm1sY",
  policy_set: "477d52c37ac9",
  entrance: "check",
  caller: { name: "gateway", peer: "10.0.0.9" },
  request_id: "8f1c",
  subject: { type: "user", id: "alice" },
  action: "fs:ReadObject",
  resource: { arn: "arn:svc:fs:::repository/data/object/a.csv" },
  decision: true,
  effect: "allow",
  determining: [{ policy: "ReadData", statement: 0, via: [{ group: "Analysts" }] }],
  duration_us: 180,
  prev: "0".repeat(64),
  crc: "00000000",
};

/** The operations. */
export const RECORD_OPERATIONS: readonly UserDeclaration[] = [
  ...listAndStream({
    shared: SHARED,
    path: `${BASE_PATH}/decisions`,
    list: { id: "listDecisions", summary: "List records of decisions", schema: "DecisionRecordList" },
    stream: { id: "streamDecisions", summary: "Follow records of decisions" },
    filters: RECORD_FILTERS,
    example: RECORD,
    recordsOf,
  }),
  {
    ...SHARED,
    id: "getDecision",
    path: `${BASE_PATH}/decisions/{decisionId}`,
    summary: "Get a record of a decision",
    description: "With `explain`, 410 if the directory of the record's revision is no longer kept.",
    query: [EXPLAIN],
    answer: {
      status: 200,
      description: "The record, and its explanations where they are asked for.",
      schema: schemaRef("DecisionRecordAnswer"),
      example: { record: RECORD },
    },
    errors: [404, 410],
    missing: "no record of that id",
    handler: (parts) => (call) => get(call, recordsOf(parts), parts),
  },
];

/** The records; throws "not_found" where no decisions are logged. */
function recordsOf({ records }: ManagementParts): DecisionRecords {
  if (records !== undefined) return records;
  throw new RequestRefused(
    404,
    "no decisions are logged (authorizer.decision_log.include is none)",
    [],
    "not_found",
  );
}

async function get(
  { params, query }: UserCall,
  records: DecisionRecords,
  parts: ManagementParts,
): Promise<Reply> {
  const record = await oneRecord(params, records, parts);
  if (query.get("explain") !== "true") return { status: 200, body: `{"record":${record}}` };
  try {
    const explanations = JSON.stringify(await records.explain(record));
    return { status: 200, body: `{"record":${record},"explanations":${explanations}}` };
  } catch (error) {
    if (isErrorCode(error, "not_found")) throw new RequestRefused(410, error.message, [], "not_found");
    throw error;
  }
}
