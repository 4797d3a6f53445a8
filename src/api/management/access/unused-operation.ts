/** `GET /auth/access/unused`: access that nobody used, a page at a time (spec/decision-log §5.2). */

import { RequestRefused } from "../../../http/errors.ts";
import type { Reply } from "../../../http/route.ts";
import { PAGING } from "../../rest/declared.ts";
import { BASE_PATH, json } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import { pageOf } from "../../rest/pages.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { DEFAULT_DAYS, questionsOf, SHARED, SINCE, timeOf } from "./access-calls.ts";
import type { UnusedRequest } from "./ports.ts";

type Kind = NonNullable<UnusedRequest["kind"]>;
const KINDS: readonly Kind[] = ["user", "key", "group", "policy", "statement", "actions"];
const MOST_RESULTS = 1_000;
const EXAMPLE_SECONDS = 1_777_708_800;

/** The operation. */
export const UNUSED_OPERATION: UserDeclaration = {
  ...SHARED,
  method: "GET",
  id: "unusedAccess",
  path: `${BASE_PATH}/auth/access/unused`,
  summary: "Find access that is not used",
  description:
    "Users, access keys, groups, policies and statements that decided nothing since a time, and actions of statements that nobody used: in this order, and each kind in the order of names. Times of last use are those known, however long ago. A page of a large directory may have fewer items than `amount`, also none, and a next page.",
  query: [
    SINCE,
    {
      name: "kind",
      in: "query",
      description: "Only entries of this kind.",
      schema: { enum: KINDS },
      example: "user",
    },
    ...PAGING.filter(({ name }) => name === "after" || name === "amount"),
  ],
  answer: answerWith(200, "UnusedAccess", {
    pagination: { has_more: true, max_per_page: MOST_RESULTS, results: 6, next_offset: "actions:0:ReadData" },
    results: [
      { kind: "user", id: "bob", creation_date: EXAMPLE_SECONDS },
      {
        kind: "key",
        access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
        user: "alice",
        creation_date: EXAMPLE_SECONDS,
        last_used: 1_779_000_000,
      },
      { kind: "group", id: "Visitors", creation_date: EXAMPLE_SECONDS, members: 0 },
      {
        kind: "policy",
        id: "OldReports",
        attached: 2,
        accept: [{ rule: "idle-action", reason: "Read once a year." }],
      },
      { kind: "statement", policy: "ReadData", statement: 1, sid: "Tags", effect: "allow" },
      { kind: "actions", policy: "ReadData", statement: 0, unused: ["fs:ListObjects"] },
    ],
    since: "2026-08-24T00:00:00.000Z",
    counted_since: "2026-05-02T08:00:00.000Z",
    revision: 1204,
    nodes: [{ node: "node-1", counted_since: "2026-05-02T08:00:00.000Z" }],
    warnings: [],
  }),
  errors: [400],
  handler: (parts) => (call) => page(call, parts),
};

async function page({ query }: UserCall, parts: ManagementParts): Promise<Reply> {
  const questions = questionsOf(parts);
  const { after, amount } = pageOf(query);
  const since = timeOf(query.get("since"), "since", DEFAULT_DAYS);
  const { entries, next, ...rest } = await questions.unused({
    since,
    kind: kindOf(query.get("kind")),
    after,
    amount,
  });
  const pagination = {
    has_more: next !== "",
    max_per_page: MOST_RESULTS,
    results: entries.length,
    next_offset: next,
  };
  return json(200, { pagination, results: entries, ...rest });
}

function kindOf(text: string | undefined): Kind | undefined {
  if (text === undefined || text === "") return undefined;
  const kind = KINDS.find((one) => one === text);
  if (kind === undefined) throw new RequestRefused(400, `kind: must be one of ${KINDS.join(", ")}`);
  return kind;
}
