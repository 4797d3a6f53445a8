import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDecision, type LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linesOf } from "../../decision-log/test-log.ts";
import { cleanUp, newFolder } from "../program.ts";

const PASSWORD = "a-secret-that-no-record-may-have-0123456789";
const KEY_ID = "AKIAJTESTTESTTESTTEQ";
const object = (id: string) => `arn:svc:fs:::repository/${id}`;

let authorizer: TestAuthorizer;
const folder = newFolder();

beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [
        { username: "alice", groups: ["Analysts"], properties: { team: "blue" } },
        { username: "root", policies: ["All"] },
      ],
      groups: [{ name: "Analysts", policies: ["ReadData", "Team"] }],
      policies: [
        {
          name: "ReadData",
          statement: [
            { sid: "Read", effect: "allow", action: ["fs:ReadObject"], resource: object("data/object/*") },
            { effect: "deny", action: ["fs:DeleteObject"], resource: "*" },
          ],
        },
        {
          name: "Team",
          statement: [
            {
              effect: "allow",
              action: ["fs:WriteObject"],
              resource: object("team/object/*"),
              condition: { StringEquals: { "subject.team": ["blue"] } },
            },
          ],
        },
        { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] },
      ],
    } as never,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": folder,
      "authorizer.decision_log.sync": "each",
      "authorizer.node_name": "node-1",
      "authorizer.forward_auth.proxy": "nginx",
    },
  });
  await authorizer.directory.credentials.create("root", {
    access_key_id: KEY_ID,
    secret_access_key: PASSWORD,
  });
});
afterAll(async () => {
  await authorizer.close();
  cleanUp();
});

const records = () => linesOf(join(folder, "node-1-0")).filter(isDecision);

/** The records that a call leaves. */
async function recordsOf(call: () => Promise<unknown>): Promise<readonly LoggedDecision[]> {
  const before = records().length;
  await call();
  return records().slice(before);
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${authorizer.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${authorizer.token}`,
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

const ALICE = { type: "user", id: "alice" };

describe("every entrance leaves one record", () => {
  it("evaluation, with the statement that decided and the way in which it reaches the user", async () => {
    const [record, ...more] = await recordsOf(() =>
      post(
        "/access/v1/evaluation",
        {
          subject: ALICE,
          action: { name: "read" },
          resource: { type: "object", id: "data/a.csv" },
          context: { SourceIp: "10.0.0.7", other: "not read" },
        },
        { "x-request-id": "req-1", traceparent: `00-${"a1".repeat(16)}-${"b2".repeat(8)}-01` },
      ),
    );
    expect(more).toEqual([]);
    expect(record).toMatchObject({
      node: "node-1",
      entrance: "evaluation",
      caller: { name: "data-server", peer: expect.stringMatching(/127\.0\.0\.1|::1/) },
      request_id: "req-1",
      trace_id: "a1".repeat(16),
      subject: { type: "user", id: "alice", properties: { team: "blue" } },
      action: "fs:ReadObject",
      resource: { arn: object("data/object/a.csv"), type: "object", id: "data/a.csv" },
      context: { SourceIp: "10.0.0.7" },
      decision: true,
      effect: "allow",
      determining: [{ policy: "ReadData", statement: 0, sid: "Read", via: [{ group: "Analysts" }] }],
    });
    expect(record?.revision).toBeGreaterThan(0);
  });

  it("evaluations, as one record with every item", async () => {
    const [record, ...more] = await recordsOf(() =>
      post("/access/v1/evaluations", {
        subject: ALICE,
        action: { name: "read" },
        evaluations: [
          { resource: { type: "object", id: "data/a" } },
          { resource: { type: "object", id: "other/a" } },
          { resource: { type: "object", id: "data/a" }, action: { name: "delete" } },
          { resource: { type: "object", id: "data/a" }, subject: { type: "user", id: "nobody" } },
          { resource: { type: "nonsense", id: "data/a" } },
        ],
      }),
    );
    expect(more).toEqual([]);
    expect(record).toMatchObject({ entrance: "evaluations", decision: false, effect: "deny" });
    expect(record?.counts).toEqual({ allow: 1, neutral: 3, deny: 1 });
    expect(record?.items?.map(({ effect = "allow" }) => effect)).toEqual([
      "allow",
      "neutral",
      "deny",
      "neutral",
      "neutral",
    ]);
    expect(record?.items?.[2]).toMatchObject({ action: "fs:DeleteObject", determining: [{ statement: 1 }] });
    // Decided as soon as it was known that there is no such user, perhaps after the last one.
    const ofNobody = record?.items?.slice(3).filter(({ subject }) => subject?.id === "nobody");
    expect(ofNobody).toHaveLength(1);
  });

  it.each([
    [
      "check",
      "/access/v1/check",
      { user: "alice", required: { action: "fs:ReadObject", resource: object("data/object/a") } },
    ],
    [
      "filter",
      "/access/v1/filter",
      { user: "alice", action: "fs:ReadObject", resources: [object("data/object/a"), object("x")] },
    ],
    [
      "request",
      "/access/v1/request",
      { user: "alice", api: "main", method: "GET", path: "/api/v1/repositories" },
    ],
    ["search", "/access/v1/search/action", { subject: ALICE, resource: { type: "object", id: "data/a" } }],
    [
      "search",
      "/access/v1/search/subject",
      { subject: { type: "user" }, action: { name: "read" }, resource: { type: "object", id: "data/a" } },
    ],
    [
      "search",
      "/access/v1/search/resource",
      { subject: ALICE, action: { name: "read" }, resource: { type: "repository" } },
    ],
    ["who_can", "/access/v1/who-can", { action: "fs:ReadObject", resource: object("data/object/a") }],
    ["what_can", "/access/v1/what-can", { user: "alice", resource: object("data/object/a") }],
    ["plan", "/access/v1/plan", { user: "alice", action: "fs:ReadObject" }],
    [
      "simulate",
      "/access/v1/simulate",
      { user: "alice", policies: [], required: { action: "fs:ReadObject", resource: "*" } },
    ],
  ])("%s (%s)", async (entrance, path, body) => {
    const found = await recordsOf(async () => {
      const answer = await post(path, body);
      expect(answer.status, await answer.text()).toBe(200);
    });
    expect(found.map((record) => record.entrance)).toEqual([entrance]);
  });

  it("a tree of permissions, with a statement for each", async () => {
    const required = {
      and: [
        { action: "fs:ReadObject", resource: object("data/object/a") },
        { action: "fs:WriteObject", resource: object("team/object/a") },
      ],
    };
    const [record] = await recordsOf(() => post("/access/v1/check", { user: "alice", required }));
    expect(record).toMatchObject({ required, decision: true, subject: { properties: { team: "blue" } } });
    expect(record?.determining.map(({ policy }) => policy)).toEqual(["ReadData", "Team"]);
    expect(record).not.toHaveProperty("resource");
  });

  it("management and forward_auth, with no secret of the call", async () => {
    const basic = `Basic ${Buffer.from(`${KEY_ID}:${PASSWORD}`).toString("base64")}`;
    const found = await recordsOf(async () => {
      const users = await fetch(`${authorizer.userUrl}/api/v1/auth/users`, {
        headers: { authorization: basic },
      });
      expect(users.status).toBe(200);
      const passed = await fetch(`${authorizer.url}/forward-auth`, {
        headers: {
          authorization: basic,
          "x-original-method": "GET",
          "x-original-uri": "/api/v1/repositories",
          "x-original-host": "data.example",
        },
      });
      await passed.text();
    });
    expect(found.map(({ entrance, subject }) => [entrance, subject.id])).toEqual([
      ["management", "root"],
      ["forward_auth", "root"],
    ]);
  });

  it("all of them follow the schema, and none has a secret", () => {
    const schema = readFileSync(
      new URL("../../../policies/schema/decision.schema.json", import.meta.url),
      "utf8",
    );
    const isLine = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(schema));
    const lines = linesOf(join(folder, "node-1-0"));
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(isLine(line), JSON.stringify([line, isLine.errors])).toBe(true);
    expect(JSON.stringify(lines)).not.toContain(PASSWORD);
    expect(JSON.stringify(lines)).not.toContain(authorizer.token);
    expect(JSON.stringify(lines)).not.toContain("not read");
  });
});
