/** The routes of AuthZEN 1.0 (spec/decision-api §2). */

import type { ActionSearch, ResourceSearch, SubjectSearch } from "../../../decisions/searches.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import type { DecisionDeclaration } from "../declaration.ts";
import { recordActions, recordResources, recordSubjects } from "../search/authzen-search-records.ts";
import { searchHandler } from "../search/search.ts";
import { evaluationHandler } from "./evaluation.ts";
import { evaluationsHandler } from "./evaluations.ts";

const ALICE = { type: "user", id: "alice" };
const REPORT = { type: "object", id: "data/report.csv" };
const PAGE = { next_token: "", count: 1, total: 1 };

const EXPLAIN: Parameter = {
  name: "explain",
  in: "query",
  description: "Answer with the reasons too; also needs a token with scope `read`.",
  schema: { type: "boolean", default: false },
};

const EVALUATION = {
  method: "POST",
  reads: true,
  tag: "AuthZEN",
  scope: "decide",
  priority: "hot",
  query: [EXPLAIN],
} as const;
const SEARCH = {
  method: "POST",
  reads: true,
  tag: "AuthZEN",
  scope: "search",
  priority: "bulk",
  heavy: true,
  meter: "search",
} as const;
const EXACT = "Exactly those for which an evaluation says true, complete over all pages.";

/** Evaluations and searches. */
export const AUTHZEN_ROUTES: readonly DecisionDeclaration[] = [
  {
    ...EVALUATION,
    id: "evaluation",
    path: "/access/v1/evaluation",
    summary: "May this subject do this to this resource?",
    description: "A denial is an answer too: 200 with `decision: false`.",
    body: {
      schema: schemaRef("EvaluationRequest"),
      example: {
        subject: ALICE,
        action: { name: "read" },
        resource: REPORT,
        context: { SourceIp: "10.0.0.7" },
      },
    },
    answer: {
      status: 200,
      description: "The decision.",
      schema: schemaRef("EvaluationAnswer"),
      example: { decision: true },
    },
    meter: "evaluation",
    handler: ({ decisions, limits }) => evaluationHandler(decisions, limits),
  },
  {
    ...EVALUATION,
    id: "evaluations",
    path: "/access/v1/evaluations",
    summary: "Many evaluations in one request",
    description: "A faulty element is denied, and its context has the error; the others are answered.",
    body: {
      schema: schemaRef("EvaluationsRequest"),
      example: {
        subject: ALICE,
        action: { name: "fs:ReadRepository" },
        evaluations: [
          { resource: { type: "repository", id: "data" } },
          { resource: { type: "arn", id: "arn:svc:fs:::repository/other" } },
        ],
      },
    },
    answer: {
      status: 200,
      description: "The decisions.",
      schema: schemaRef("EvaluationsAnswer"),
      example: {
        evaluations: [
          { decision: true },
          {
            decision: false,
            context: { id: "d-1", reason_user: { "403": "insufficient permissions: not allowed" } },
          },
        ],
      },
    },
    meter: "evaluations",
    handler: ({ decisions, limits }) => evaluationsHandler(decisions, limits),
  },
  {
    ...SEARCH,
    id: "searchSubjects",
    checked: "SubjectSearch",
    path: "/access/v1/search/subject",
    summary: "Which subjects may do this to this resource?",
    description: EXACT,
    body: {
      schema: schemaRef("SubjectSearch"),
      example: { subject: { type: "user" }, action: { name: "read" }, resource: REPORT },
    },
    answer: {
      status: 200,
      description: "A page of subjects.",
      schema: schemaRef("EntitySearchAnswer"),
      example: { page: PAGE, results: [ALICE] },
    },
    handler: ({ decisions, ...serving }) =>
      searchHandler<SubjectSearch>(
        "subject",
        (asked, signal) => decisions.searches.subjects(asked, signal),
        serving,
        recordSubjects(decisions),
      ),
  },
  {
    ...SEARCH,
    id: "searchResources",
    checked: "ResourceSearch",
    path: "/access/v1/search/resource",
    summary: "On which registered resources may this subject do this?",
    description: EXACT,
    body: {
      schema: schemaRef("ResourceSearch"),
      example: {
        subject: ALICE,
        action: { name: "read" },
        resource: { type: "repository" },
        page: { limit: 10 },
      },
    },
    answer: {
      status: 200,
      description: "A page of resources.",
      schema: schemaRef("EntitySearchAnswer"),
      example: { page: PAGE, results: [{ type: "repository", id: "data" }] },
    },
    handler: ({ decisions, ...serving }) =>
      searchHandler<ResourceSearch>(
        "resource",
        (asked, signal) => decisions.searches.resources(asked, signal),
        serving,
        recordResources(decisions),
      ),
  },
  {
    ...SEARCH,
    id: "searchActions",
    checked: "ActionSearch",
    path: "/access/v1/search/action",
    summary: "What may this subject do to this resource?",
    description: `${EXACT} Names are those of the resource's type; for type \`arn\` they are \`service:Verb\`.`,
    body: { schema: schemaRef("ActionSearch"), example: { subject: ALICE, resource: REPORT } },
    answer: {
      status: 200,
      description: "A page of actions.",
      schema: schemaRef("ActionSearchAnswer"),
      example: { page: PAGE, results: [{ name: "read" }] },
    },
    handler: ({ decisions, ...serving }) =>
      searchHandler<ActionSearch>(
        "action",
        (asked, signal) => decisions.searches.actions(asked, signal),
        serving,
        recordActions(decisions),
      ),
  },
];
