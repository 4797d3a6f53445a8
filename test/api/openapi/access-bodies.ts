/** Bodies of the decision calls: what they take, and what they refuse for its form. */

import { SEARCH_BODIES } from "./search-bodies.ts";

const ARN = "arn:svc:fs:::repository/data/object/a";
const READ = { action: "fs:ReadObject", resource: ARN };
const SUBJECT = { type: "user", id: "alice" };
const ACTION = { name: "fs:ReadObject" };
const RESOURCE = { type: "arn", id: ARN };
const WHOLE = { subject: SUBJECT, action: ACTION, resource: RESOURCE };
const POLICY = { name: "p", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] };
const CONDITIONAL = {
  name: "p",
  statement: [
    { effect: "allow", action: ["*"], resource: "*", condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } } },
    { effect: "deny", action: [], resource: "", condition: null },
  ],
  creation_date: 1,
  acl: "",
};
const CONTEXT = {
  SourceIp: "10.0.0.1",
  n: 1,
  yes: true,
  no: null,
  list: ["a", 1, false],
  deep: { a: { b: "c" } },
};

const GET_OBJECT = {
  user: "alice",
  method: "GET",
  path: "/api/v1/repositories/data/refs/main/objects",
  query: { path: "a" },
  api: "main",
};

/** Bodies by path. */
export const ACCESS_BODIES: Readonly<
  Record<string, { readonly taken: readonly unknown[]; readonly refused: readonly unknown[] }>
> = {
  "/access/v1/evaluation": {
    taken: [
      WHOLE,
      { ...WHOLE, context: { SourceIp: "10.0.0.1" }, unknown: 1 },
      { ...WHOLE, context: null, subject: { ...SUBJECT, properties: { a: [1] } } },
      { ...WHOLE, resource: { ...RESOURCE, properties: null } },
      { ...WHOLE, subject: { type: "robot", id: "r" } },
      { ...WHOLE, subject: { type: "user", id: "nobody" } },
      { ...WHOLE, subject: { type: "user", id: "carol" } },
      { ...WHOLE, action: { name: "fly" } },
      { ...WHOLE, resource: { type: "unheard", id: "x" } },
    ],
    refused: [
      [],
      "text",
      {},
      { subject: SUBJECT, action: ACTION },
      { ...WHOLE, subject: { id: "alice" } },
      { ...WHOLE, action: "read" },
      { ...WHOLE, action: { name: 1 } },
      { ...WHOLE, context: [] },
      { ...WHOLE, subject: null },
      { ...WHOLE, resource: { ...RESOURCE, properties: "x" } },
    ],
  },
  "/access/v1/evaluations": {
    taken: [
      WHOLE,
      { ...WHOLE, evaluations: [] },
      { ...WHOLE, evaluations: null, options: null },
      { ...WHOLE, evaluations: [{}, { subject: { type: "user", id: "carol" } }] },
      { evaluations: [WHOLE, {}, { ...WHOLE, resource: { type: "repository", id: "" } }] },
      {
        ...WHOLE,
        evaluations: [{}, { action: { name: "fly" } }, {}],
        options: { evaluations_semantic: "deny_on_first_deny" },
      },
      { ...WHOLE, evaluations: [{}], options: { evaluations_semantic: "permit_on_first_permit", more: 1 } },
      { ...WHOLE, options: { evaluations_semantic: null } },
    ],
    refused: [
      [],
      {},
      { evaluations: [] },
      { subject: SUBJECT, evaluations: [] },
      { subject: { id: 1 }, evaluations: [WHOLE] },
      { ...WHOLE, evaluations: {} },
      { ...WHOLE, options: "all" },
      { ...WHOLE, options: { evaluations_semantic: "some" } },
    ],
  },
  "/access/v1/check": {
    taken: [
      { user: "alice", required: READ },
      { user: "carol", required: READ, context: null, explain: false },
      { user: "nobody", required: READ },
      { user: "bob", required: READ, context: CONTEXT, explain: true },
      {
        user: "carol",
        required: { or: [READ, { and: [READ, { any_resource: { action: "fs:Read*" } }] }] },
        explain: true,
      },
      { user: "alice", required: { ...READ, resource: `${ARN}/secret` }, explain: true },
      {
        user: "alice",
        required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data/object/secret" },
        explain: true,
      },
      { user: "alice", required: { and: [] } },
      { user: "alice", required: { any_resource: { action: "fs:ReadObject" } }, explain: true },
    ],
    refused: [
      [],
      {},
      { user: "alice" },
      { user: 1, required: READ },
      { user: "alice", required: READ, unknown: 1 },
      { user: "alice", required: {} },
      { user: "alice", required: { action: "fs:ReadObject" } },
      { user: "alice", required: { ...READ, and: [] } },
      { user: "alice", required: { and: READ } },
      { user: "alice", required: { any_resource: {} } },
      { user: "alice", required: { any_resource: READ } },
      { user: "alice", required: READ, explain: "yes" },
      { user: "alice", required: READ, context: [] },
      { user: "alice", required: READ, context: { list: [[1]] } },
      { user: "alice", required: READ, context: { list: [null] } },
    ],
  },
  "/access/v1/request": {
    taken: [
      GET_OBJECT,
      { ...GET_OBJECT, user: "nobody" },
      { ...GET_OBJECT, query: { path: ["a"], other: "" }, headers: { Host: "lake" }, context: CONTEXT },
      { ...GET_OBJECT, query: "path=a", body: { any: ["thing"] }, facts: { any: "thing" } },
      { ...GET_OBJECT, path: "/nothing/here" },
      { ...GET_OBJECT, query: "a;b" },
      { user: "alice", method: "GET", path: "/api/v1/repositories", api: "main" },
      { user: "alice", method: "GET", path: "/api/v1/config/version", api: "main" },
      { user: "alice", method: "POST", path: "/api/v1/auth/users", body: { id: "x" }, api: "main" },
      { user: "alice", method: "POST", path: "/api/v1/auth/users", api: "main" },
      { user: "alice", method: "GET", path: "/main/a", api: "gateway", bucket: "data" },
      { user: "alice", method: "GET", path: "/", api: "replication", body: null },
    ],
    refused: [
      [],
      {},
      { ...GET_OBJECT, user: undefined },
      { ...GET_OBJECT, method: "" },
      { ...GET_OBJECT, method: "G T" },
      { ...GET_OBJECT, path: "api" },
      { ...GET_OBJECT, path: "/a?b" },
      { ...GET_OBJECT, path: 1 },
      { ...GET_OBJECT, query: 1 },
      { ...GET_OBJECT, query: { a: 1 } },
      { ...GET_OBJECT, query: { a: [1] } },
      { ...GET_OBJECT, headers: [] },
      { ...GET_OBJECT, headers: { host: ["a"] } },
      { ...GET_OBJECT, facts: { a: 1 } },
      { ...GET_OBJECT, api: "other" },
      { ...GET_OBJECT, context: [] },
      { ...GET_OBJECT, more: 1 },
    ],
  },
  "/access/v1/filter": {
    taken: [
      { user: "alice", action: "fs:ReadObject", resources: [] },
      { user: "alice", action: "fs:ReadObject", resources: [ARN, "*", ""], context: CONTEXT },
      { user: "alice", action: "read", type: "object", ids: ["data/a", "other/b"] },
      { user: "alice", action: "read", type: "unheard", ids: ["data/a"] },
      { user: "nobody", action: "fs:ReadObject", resources: [ARN] },
    ],
    refused: [
      {},
      { user: "alice", action: "fs:ReadObject" },
      { user: "alice", action: "fs:ReadObject", resources: [1] },
      { user: "alice", action: "fs:ReadObject", resources: ARN },
      { user: "alice", action: "fs:ReadObject", resources: [ARN], ids: [] },
      { user: "alice", action: "fs:ReadObject", ids: [] },
      { user: "alice", action: "fs:ReadObject", type: "object" },
      { user: "alice", resources: [ARN] },
      { user: "alice", action: "fs:ReadObject", resources: [ARN], explain: true },
    ],
  },
  "/access/v1/simulate": {
    taken: [
      { user: "x", policies: [POLICY], required: READ },
      { user: "x", policies: [CONDITIONAL], required: READ, context: CONTEXT, explain: true },
      { user: "x", policies: [], required: READ, evaluator: "data_server" },
      { user: "x", policies: [POLICY], list: READ },
      { user: "alice", candidate: { replace: [POLICY], remove: ["Reads"] }, required: READ },
      { user: "alice", candidate: {}, required: READ },
      { candidate: { user: "alice", remove: ["Reads"] }, required: READ },
      { user: "alice", remove: ["Reads"], required: READ },
      { user: "nobody", replace: [], required: READ },
      { cases: [] },
      {
        cases: [
          { user: "x", policies: [POLICY], required: READ },
          { user: "x", policies: [], list: READ },
        ],
        explain: true,
        evaluator: "extended",
      },
    ],
    refused: [
      {},
      [],
      { user: "x", policies: [POLICY] },
      { user: "x", required: READ },
      { policies: [POLICY], required: READ },
      { user: "x", policies: [POLICY], required: READ, list: READ },
      { user: "x", policies: [POLICY], candidate: {}, required: READ },
      { user: "x", policies: [POLICY], remove: [], required: READ },
      { user: "x", policies: [POLICY], required: READ, evaluator: "other" },
      { user: "x", policies: [{ name: "p" }], required: READ },
      { user: "x", policies: [{ ...POLICY, more: 1 }], required: READ },
      {
        user: "x",
        policies: [{ name: "p", statement: [{ effect: "allow", action: "fs:*", resource: "*" }] }],
        required: READ,
      },
      { user: "x", policies: [POLICY], required: READ, explain: null },
      { user: "alice", candidate: { user: "bob" }, required: READ },
      { candidate: {}, required: READ },
      { cases: {} },
      { cases: [1] },
      { cases: [], user: "x" },
      { cases: [{ user: "x", policies: [POLICY] }] },
    ],
  },
  ...SEARCH_BODIES,
};
