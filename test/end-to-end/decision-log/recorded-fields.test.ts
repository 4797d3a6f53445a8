/** Records have the condition fields by which decisions were made, whichever way a question comes (spec/decision-log §1.1). */

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { questionsOf } from "@svc-authorizer/policy/records/recorded-questions.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../program.ts";
import { RecordingService } from "./recording-service.ts";

const note = (id: string) => `arn:svc:demo:::note/${id}`;
const STATEMENT: readonly Statement[] = [
  {
    effect: "allow",
    action: ["demo:Read", "demo:Write"],
    resource: note("*"),
    condition: { StringEquals: { "resource.owner": ["ada"], "subject.team": ["blue"] } },
  },
  {
    effect: "allow",
    action: ["fs:ListRepositories"],
    resource: "*",
    condition: { StringEquals: { "subject.team": ["blue"] } },
  },
];
let service: RecordingService;
beforeAll(async () => {
  service = await RecordingService.start({
    format: 1,
    users: [
      { username: "ada", policies: ["Own"], properties: { team: "blue" } },
      { username: "plain", policies: ["All"] },
    ],
    policies: [
      { name: "Own", statement: STATEMENT },
      { name: "All", statement: [{ effect: "allow", action: ["demo:*"], resource: "*" }] },
    ],
    resource_types: [{ type: "note", arn: note("{id}"), id: "{id}", actions: { read: "demo:Read" } }],
    resources: [
      { type: "note", id: "a1", properties: { owner: "ada" } },
      { type: "note", id: "a2", properties: { owner: "ada" } },
      { type: "note", id: "b1", properties: { owner: "bob" } },
    ],
  });
});
afterAll(async () => {
  await service.close();
  cleanUp();
});

const POLICIES = compile([{ name: "Own", statement: STATEMENT }], {
  partition: "svc",
  evaluator: "extended",
});

/** The effects that the fields of a record give. */
const again = (record: LoggedDecision) =>
  questionsOf(record).map(
    ({ required, context }) => decide(POLICIES, { user: "ada", required, context }).effect,
  );

const read = (id: string) => ({ action: "demo:Read", resource: note(id) });
const CALLS: readonly (readonly [string, string, object, readonly string[]])[] = [
  ["check", "/check", { user: "ada", required: read("a1") }, ["allow"]],
  ["check with reasons", "/check", { user: "ada", required: read("a1"), explain: true }, ["allow"]],
  [
    "check of a tree about one resource",
    "/check",
    { user: "ada", required: { and: [read("a1"), { ...read("a1"), action: "demo:Write" }] } },
    ["allow"],
  ],
  [
    "check of a tree about resources with the same attributes",
    "/check",
    { user: "ada", required: { and: [read("a1"), read("a2")] } },
    ["allow"],
  ],
  [
    "evaluation",
    "/evaluation",
    {
      subject: { type: "user", id: "ada" },
      action: { name: "read" },
      resource: { type: "note", id: "a1" },
    },
    ["allow"],
  ],
  [
    "filter",
    "/filter",
    { user: "ada", action: "demo:Read", resources: ["a1", "b1", "a2"].map(note) },
    ["allow", "neutral", "allow"],
  ],
  [
    "simulate",
    "/simulate",
    { user: "ada", candidate: { replace: [], remove: [] }, required: read("a1") },
    ["allow"],
  ],
  [
    "request",
    "/request",
    { user: "ada", api: "main", method: "GET", path: "/api/v1/repositories" },
    ["allow"],
  ],
];

describe("the fields of a record decide as it was decided", () => {
  it.each(CALLS)("%s", async (_name, path, body, effects) => {
    const record = await service.recordOf(path, body);
    const recorded = record.items?.map(({ effect = "allow" }) => effect) ?? [record.effect];
    expect(recorded).toEqual(effects);
    expect(again(record), JSON.stringify(record)).toEqual(effects);
  });
});

describe("the address of the client", () => {
  it("is in each item of a batch, whether a condition reads it or not", async () => {
    const record = await service.recordOf("/evaluations", {
      subject: { type: "user", id: "plain" },
      action: { name: "read" },
      context: { SourceIp: "10.0.0.7" },
      evaluations: [
        { resource: { type: "note", id: "a1" } },
        { resource: { type: "note", id: "a2" } },
        { resource: { type: "note", id: "a2" }, context: { SourceIp: "10.0.0.8" } },
        { resource: { type: "note", id: "b1" }, context: {} },
      ],
    });
    expect(record.counts).toEqual({ allow: 4, neutral: 0, deny: 0 });
    expect(record.context).toEqual({ SourceIp: "10.0.0.7" });
    const own = record.items?.map(({ subject, context }) => (subject === undefined ? "shared" : context));
    expect(own).toEqual(["shared", "shared", { SourceIp: "10.0.0.8" }, undefined]);
  });
});

describe("a stream of a filter", () => {
  it("has each part of its answer on disk before the part, and nothing twice", async () => {
    const before = service.records.length;
    const asked = request(`${service.authorizer.url}/access/v1/filter`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${service.authorizer.token}`,
        "content-type": "application/x-ndjson",
      },
    });
    asked.write('{"user":"ada","action":"demo:Read"}\n');
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const parts = response.setEncoding("utf8")[Symbol.asyncIterator]();
    const found: LoggedDecision[][] = [];
    for (const id of ["a1", "a2"]) {
      asked.write(`"${note(id)}"\n`);
      await parts.next();
      found.push(service.records.slice(before));
    }
    asked.end();
    expect((await parts.next()).value).toContain('"complete":true');
    expect(found.map((some) => some.map(({ items }) => items?.map(({ resource }) => resource.arn)))).toEqual([
      [[note("a1")]],
      [[note("a1")], [note("a2")]],
    ]);
    expect(service.records.slice(before)).toEqual(found[1]);
  });

  it("that its caller leaves has a record of what was answered", async () => {
    const before = service.records.length;
    const answered = new Promise<void>((resolve, reject) => {
      const asked = request(`${service.authorizer.url}/access/v1/filter`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${service.authorizer.token}`,
          "content-type": "application/x-ndjson",
        },
      });
      asked.on("error", reject);
      asked.on("response", (response) => {
        response.once("error", () => undefined);
        response.once("data", () => {
          asked.destroy();
          resolve();
        });
      });
      const lines = ['{"user":"ada","action":"demo:Read"}', ...["a1", "b1"].map((id) => `"${note(id)}"`)];
      asked.write(`${lines.join("\n")}\n`);
    });
    await answered;
    // Of both resources in one record, or of each part of the answer in its own.
    const left = () => service.records.slice(before);
    await expect.poll(() => left().reduce((sum, { counts }) => sum + (counts?.allow ?? 0), 0)).toBe(1);
    const arns = left().flatMap(({ items }) => items?.map(({ resource }) => resource.arn) ?? []);
    expect([[note("a1")], [note("a1"), note("b1")]]).toContainEqual(arns);
    for (const record of left()) expect(record).toMatchObject({ entrance: "filter", subject: { id: "ada" } });
  });
});
