/** Searches: AuthZEN 1.0 and the native calls. */

import type { Operation, Paths } from "../openapi-types.ts";
import { jsonAnswer, jsonContent, operation } from "../operation.ts";

const ALICE = { type: "user", id: "alice" };
const OBJECT = "arn:svc:fs:::repository/data/object/report.csv";
const PAGE = { next_token: "", count: 1, total: 1 };

interface SearchParts {
  readonly id: string;
  readonly tag: "AuthZEN" | "decisions";
  readonly scope: "search" | "read";
  readonly summary: string;
  readonly description?: string;
  readonly request: readonly [schema: string, example: unknown];
  readonly answer: readonly [schema: string, example: unknown];
}

function search({ request, answer, ...parts }: SearchParts): { readonly post: Operation } {
  const body = jsonContent(...request);
  const found = jsonAnswer("What was found.", answer[0], { example: answer[1] });
  return { post: operation({ ...parts, body, answer: found, status: 200, errors: [] }) };
}

const EXACT = "Exactly those for which an evaluation says true, complete over all pages.";

/** `/access/v1`, as far as it searches. */
export const SEARCH_PATHS: Paths = {
  "/access/v1/search/subject": search({
    id: "searchSubjects",
    tag: "AuthZEN",
    scope: "search",
    summary: "Which subjects may do this to this resource?",
    description: EXACT,
    request: [
      "SubjectSearch",
      {
        subject: { type: "user" },
        action: { name: "read" },
        resource: { type: "object", id: "data/report.csv" },
      },
    ],
    answer: ["EntitySearchAnswer", { page: PAGE, results: [ALICE] }],
  }),
  "/access/v1/search/resource": search({
    id: "searchResources",
    tag: "AuthZEN",
    scope: "search",
    summary: "On which registered resources may this subject do this?",
    description: EXACT,
    request: [
      "ResourceSearch",
      { subject: ALICE, action: { name: "read" }, resource: { type: "repository" }, page: { limit: 10 } },
    ],
    answer: ["EntitySearchAnswer", { page: PAGE, results: [{ type: "repository", id: "data" }] }],
  }),
  "/access/v1/search/action": search({
    id: "searchActions",
    tag: "AuthZEN",
    scope: "search",
    summary: "What may this subject do to this resource?",
    description: `${EXACT} Names are those of the resource's type; for type \`arn\` they are \`service:Verb\`.`,
    request: ["ActionSearch", { subject: ALICE, resource: { type: "object", id: "data/report.csv" } }],
    answer: ["ActionSearchAnswer", { page: PAGE, results: [{ name: "read" }] }],
  }),
  "/access/v1/plan": search({
    id: "plan",
    tag: "decisions",
    scope: "read",
    summary: "Which resources may this user act on, as patterns?",
    description:
      "What a caller can turn into a query of its own. It agrees with a check about every resource.",
    request: ["PlanRequest", { user: "alice", action: "fs:ReadObject" }],
    answer: [
      "Plan",
      { kind: "conditional", allow: ["arn:svc:fs:::repository/data/*"], deny: [], conditional: [] },
    ],
  }),
  "/access/v1/who-can": search({
    id: "whoCan",
    tag: "decisions",
    scope: "read",
    summary: "Which users may do this, and why?",
    request: ["WhoCanRequest", { action: "fs:ReadObject", resource: OBJECT }],
    answer: [
      "WhoCanAnswer",
      {
        page: PAGE,
        results: [{ user: "alice", via: [{ group: "Readers" }], policy: "ReadData", statement: 0 }],
      },
    ],
  }),
  "/access/v1/what-can": search({
    id: "whatCan",
    tag: "decisions",
    scope: "read",
    summary: "Which actions may this user do on this resource?",
    request: ["WhatCanRequest", { user: "alice", resource: OBJECT }],
    answer: ["WhatCanAnswer", { page: PAGE, results: ["fs:ReadObject"] }],
  }),
};
