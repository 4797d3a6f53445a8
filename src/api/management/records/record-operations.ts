/** `GET /decisions`, `/decisions/{id}`, `/decisions/stream`: the records of decisions (decision-log.md §3). */

import { isErrorCode } from "../../../errors.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { PAGING } from "../../rest/declared.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { stillPermitted } from "../still-permitted.ts";
import type { DecisionRecords } from "./ports.ts";
import { listRecords, oneRecord } from "./read-records.ts";
import { RECORD_FILTERS, recordQuery } from "./record-query.ts";
import { openRecordStreams } from "./record-stream.ts";

const READ_DECISIONS = { action: "auth:ReadDecisions", resource: "*" } as const;

const SHARED = {
  access: "permitted",
  permission: READ_DECISIONS,
  method: "GET",
  priority: "bulk",
  tag: "decisions",
} as const;

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
};

/** The operations. */
export const RECORD_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...SHARED,
    id: "listDecisions",
    path: `${BASE_PATH}/decisions`,
    summary: "List records of decisions",
    description: "Newest first, of this node and all its processes, which the answer names.",
    query: [...RECORD_FILTERS, ...PAGING.filter(({ name }) => name === "after" || name === "amount")],
    answer: {
      status: 200,
      description: "A page, newest first.",
      schema: schemaRef("DecisionRecordList"),
      example: {
        pagination: { has_more: false, max_per_page: 1000, results: 1, next_offset: "" },
        node: "node-1",
        chains: ["node-1-0"],
        results: [RECORD],
      },
    },
    errors: [400],
    handler: (parts) => (call) => listRecords(call, recordsOf(parts), recordQuery(call.query)),
  },
  {
    ...SHARED,
    id: "streamDecisions",
    path: `${BASE_PATH}/decisions/stream`,
    summary: "Follow records of decisions",
    description: "Server-sent events: one for each record that is written from now on, within a second.",
    query: RECORD_FILTERS,
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
        const query = recordQuery(call.query);
        return streams.serve(call, recordsOf(parts), query, stillPermitted(parts, call, READ_DECISIONS));
      };
    },
  },
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
    handler: (parts) => (call) => get(call, recordsOf(parts)),
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

async function get({ params, query }: UserCall, records: DecisionRecords): Promise<Reply> {
  const record = await oneRecord(params, records);
  if (query.get("explain") !== "true") return { status: 200, body: `{"record":${record}}` };
  try {
    const explanations = JSON.stringify(await records.explain(record));
    return { status: 200, body: `{"record":${record},"explanations":${explanations}}` };
  } catch (error) {
    if (isErrorCode(error, "not_found")) throw new RequestRefused(410, error.message, [], "not_found");
    throw error;
  }
}
