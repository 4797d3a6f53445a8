/** The routes of decisions in the terms of policies (spec/decision-api §3). */

import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { requireScope, type ServiceCall } from "../../service-caller.ts";
import type { DecisionDeclaration } from "../declaration.ts";
import { filterForm, filterHandler } from "../filter/filter.ts";
import { filterStreamHandler } from "../filter/filter-stream.ts";
import { parseRequestBody, requestHandler } from "../request/request.ts";
import { parseSimulation } from "../simulate/parse-simulation.ts";
import { simulateHandler, simulationForm } from "../simulate/simulate.ts";
import { checkHandler } from "./check.ts";
import { planHandler } from "./plan.ts";
import { whatCanHandler } from "./what-can.ts";
import { whoCanHandler } from "./who-can.ts";

const OBJECT = "arn:svc:fs:::repository/data/object/report.csv";
const READ = { action: "fs:ReadObject", resource: OBJECT };
const PAGE = { next_token: "", count: 1, total: 1 };

const ASKED = { method: "POST", reads: true, tag: "decisions", scope: "decide" } as const;
const HOT = { ...ASKED, priority: "hot" } as const;
const BULK = { ...ASKED, priority: "bulk", heavy: true } as const;
const QUESTION = { ...BULK, scope: "read" } as const;

const CHECK: DecisionDeclaration = {
  ...HOT,
  id: "check",
  path: "/access/v1/check",
  summary: "May this user do what these permissions stand for?",
  description:
    "One decision about a tree of required permissions. Only the effect `allow` lets a request pass.",
  body: {
    schema: schemaRef("CheckRequest"),
    example: {
      user: "alice",
      required: { or: [READ, { and: [{ any_resource: { action: "fs:ListObjects" } }] }] },
    },
  },
  answer: {
    status: 200,
    description: "The decision.",
    schema: schemaRef("CheckAnswer"),
    example: { allowed: true, effect: "allow" },
  },
  meter: "check",
  handler: ({ decisions, limits }) => checkHandler(decisions, limits),
};

const REQUEST: DecisionDeclaration = {
  ...HOT,
  id: "request",
  checked: "RequestCheck",
  path: "/access/v1/request",
  summary: "May this request of a data server pass?",
  description:
    "The permission tables applied. A request that no row answers, or that could be read in two ways, is not allowed.",
  body: {
    schema: schemaRef("RequestCheck"),
    example: {
      user: "alice",
      method: "GET",
      path: "/api/v1/repositories/data/refs/main/objects",
      query: { path: "report.csv" },
      api: "main",
    },
    parse: parseRequestBody,
  },
  answer: {
    status: 200,
    description: "The operation, what it needs, and the decision.",
    schema: schemaRef("RequestAnswer"),
    example: { operation: "getObject", required: READ, allowed: true, effect: "allow", id: "d-3" },
  },
  meter: "request",
  handler: ({ decisions, limits, s3Domains }) => requestHandler(decisions, limits, s3Domains),
};

const FILTER: DecisionDeclaration = {
  ...BULK,
  id: "filter",
  checked: filterForm,
  path: "/access/v1/filter",
  summary: "Which of these resources may this user act on?",
  description:
    "Each item is answered as a check of its own would be. NDJSON streams both ways without a limit.",
  body: {
    schema: schemaRef("FilterRequest"),
    example: { user: "alice", action: "fs:ReadObject", resources: [OBJECT, `${OBJECT}.gz`] },
    limit: "bulkBodyBytes",
    lines: {
      schema: { type: "string", description: "A line of JSON with user and action, then one item a line." },
      "x-itemSchema": schemaRef("FilterStreamItem"),
      example: `${JSON.stringify({ user: "alice", action: "fs:ReadObject" })}\n${JSON.stringify(OBJECT)}\n`,
    },
  },
  answer: {
    status: 200,
    description: "Which items are allowed.",
    schema: schemaRef("FilterAnswer"),
    example: { allowed: [0, 1], complete: true },
    lines: {
      schema: { type: "string", description: "Answers to a request in NDJSON come in NDJSON." },
      "x-itemSchema": schemaRef("FilterStreamAnswer"),
      example: '{"index":0}\n{"complete":true,"items":1,"allowed":1}\n',
    },
  },
  meter: "filter",
  handler: ({ decisions, limits }) => filterHandler(decisions, limits),
  stream: filterStreamHandler,
};

/** True if a condition names a property of the user or of the resource, as a field or as a variable. */
function readsProperties({ statement }: NamedStatements): boolean {
  return statement.some(({ condition }) => /(subject|resource)\./.test(JSON.stringify(condition ?? null)));
}

/** `/simulate`. */
export const SIMULATE: DecisionDeclaration = {
  ...BULK,
  id: "simulate",
  checked: simulationForm,
  path: "/access/v1/simulate",
  summary: "What would be decided from other policies?",
  description: "From given policies alone, or as if policies of a real user were changed. Nothing is stored.",
  body: {
    schema: schemaRef("SimulateRequest"),
    example: {
      user: "alice",
      policies: [{ name: "Reads", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] }],
      required: READ,
    },
    parse: parseSimulation,
    limit: "bulkBodyBytes",
  },
  answer: {
    status: 200,
    description: "The decisions.",
    schema: schemaRef("SimulateAnswer"),
    example: {
      allowed: false,
      effect: "neutral",
      message: "insufficient permissions: not allowed",
      id: "d-2",
    },
  },
  meter: "simulate",
  // A candidate shows what a real user holds, an explanation what policies say, and conditions on registered properties
  // what the directory has: all are more than deciding.
  handler: ({ decisions, limits }) =>
    simulateHandler<ServiceCall>(decisions, limits, ({ candidate, explain, policies = [] }, call) => {
      if (candidate !== undefined || explain || policies.some(readsProperties)) {
        requireScope(call.caller, "read");
      }
    }),
};

/** `/plan`. */
export const PLAN: DecisionDeclaration = {
  ...QUESTION,
  id: "plan",
  checked: "PlanRequest",
  path: "/access/v1/plan",
  summary: "Which resources may this user act on, as patterns?",
  description: "What a caller can turn into a query of its own. It agrees with a check about every resource.",
  body: { schema: schemaRef("PlanRequest"), example: { user: "alice", action: "fs:ReadObject" } },
  answer: {
    status: 200,
    description: "The plan.",
    schema: schemaRef("Plan"),
    example: { kind: "conditional", allow: ["arn:svc:fs:::repository/data/*"], deny: [], conditional: [] },
  },
  meter: "plan",
  handler: ({ decisions }) => planHandler(decisions),
};

/** `/who-can`. */
export const WHO_CAN: DecisionDeclaration = {
  ...QUESTION,
  id: "whoCan",
  checked: "WhoCanRequest",
  path: "/access/v1/who-can",
  summary: "Which users may do this, and why?",
  description: "Exactly the users whom a check would allow, with the statement that allows it.",
  body: { schema: schemaRef("WhoCanRequest"), example: READ },
  answer: {
    status: 200,
    description: "A page of users.",
    schema: schemaRef("WhoCanAnswer"),
    example: {
      page: PAGE,
      results: [{ user: "alice", via: [{ group: "Readers" }], policy: "ReadData", statement: 0 }],
    },
  },
  meter: "who_can",
  handler: ({ decisions, ...serving }) => whoCanHandler(decisions, serving),
};

/** `/what-can`. */
export const WHAT_CAN: DecisionDeclaration = {
  ...QUESTION,
  id: "whatCan",
  checked: "WhatCanRequest",
  path: "/access/v1/what-can",
  summary: "Which actions may this user do on this resource?",
  description: "Exactly the actions of the catalog that a check would allow.",
  body: { schema: schemaRef("WhatCanRequest"), example: { user: "alice", resource: OBJECT } },
  answer: {
    status: 200,
    description: "A page of actions.",
    schema: schemaRef("WhatCanAnswer"),
    example: { page: PAGE, results: ["fs:ReadObject"] },
  },
  meter: "what_can",
  handler: ({ decisions, ...serving }) => whatCanHandler(decisions, serving),
};

/** All of them. */
export const NATIVE_ROUTES: readonly DecisionDeclaration[] = [
  CHECK,
  REQUEST,
  FILTER,
  SIMULATE,
  PLAN,
  WHO_CAN,
  WHAT_CAN,
];
