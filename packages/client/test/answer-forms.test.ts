/** Answers of something that is not the service, or not for the question: an error, and no decision. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let server: Server;
let client: AuthorizerClient;
let url: string;
let answer: unknown;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new AuthorizerClient({ url, token: "t" });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const OBJECT = "arn:svc:fs:::repository/r/object/o";
const ACTION = "fs:ReadObject";
const QUESTION = {
  subject: { type: "user", id: "u" },
  action: { name: ACTION },
  resource: { type: "arn", id: OBJECT },
};
const MANY = { ...QUESTION, evaluations: [{}, {}] };
const LEAF = { action: ACTION, resource: OBJECT };
/** Bodies that no call may take. */
const OTHERS = [null, [], "x", 1, true, {}, { status: "ok" }, { message: "not found" }];

const CALLS: readonly (readonly [
  string,
  (by: AuthorizerClient) => Promise<unknown>,
  ...(readonly unknown[]),
])[] = [
  [
    "allows",
    (by) => by.allows("u", ACTION, OBJECT),
    { decision: "true" },
    { decision: 1 },
    { allowed: true },
  ],
  [
    "allows, alone",
    (by) => by.allows("u", ACTION, OBJECT, { timeout: 5_000 }),
    { decision: "true" },
    { decision: null },
  ],
  [
    "check",
    (by) => by.check({ user: "u", required: LEAF }),
    { allowed: "x" },
    { allowed: true },
    { allowed: true, effect: "deny" },
  ],
  [
    "request",
    (by) => by.request({ user: "u", method: "GET", path: "/" } as never),
    { allowed: 1, effect: "allow" },
  ],
  ["evaluate", (by) => by.evaluate(QUESTION), { decision: "false" }, { decisions: [true] }],
  [
    "evaluateMany",
    (by) => by.evaluateMany(MANY),
    { evaluations: [{ decision: "yes" }] },
    { evaluations: [null] },
  ],
  [
    "filter",
    (by) => by.filter({ user: "u", action: ACTION, resources: [OBJECT] }),
    { allowed: [1] },
    { allowed: [-1] },
  ],
  [
    "filter in order",
    (by) => by.filter({ user: "u", action: ACTION, resources: [OBJECT, OBJECT] }),
    { allowed: [1, 0] },
    { allowed: [0, 0] },
    { allowed: true },
  ],
  ["simulate", (by) => by.simulate({ user: "u", policies: [], required: LEAF } as never), { allowed: true }],
  [
    "plan",
    (by) => by.plan({ user: "u", action: ACTION, type: "object" }),
    { kind: "all", allow: [], deny: [] },
    { kind: "always" },
  ],
  ["whoCan", (by) => by.whoCan(LEAF), { results: null }],
  ["whatCan", (by) => by.whatCan({ user: "u", resource: OBJECT }), { results: {} }],
  [
    "searchActions",
    (by) => by.searchActions({ subject: QUESTION.subject, resource: QUESTION.resource }),
    { results: "x" },
  ],
  ["metadata", (by) => by.metadata(), { policy_decision_point: 1 }],
];

describe.each(CALLS.map(([name, call, ...own]) => ({ name, call, own })))("$name", ({ call, own }) => {
  it.each([...OTHERS, ...own])("takes %j for no answer", async (body) => {
    answer = body;
    await expect(call(client)).rejects.toMatchObject({
      name: "ClientError",
      code: "unreadable",
      status: 200,
    });
  });
});

it("onError decides where what came is no answer", async () => {
  answer = { status: "ok" };
  const deciding = new AuthorizerClient({ url, token: "t", onError: ({ code }) => code === "unreadable" });
  expect(await deciding.allows("u", ACTION, OBJECT)).toBe(true);
});
