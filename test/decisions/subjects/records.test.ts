/** Records of decisions about subjects that the directory does not know (spec/decision-log §1.1, spec/decision-api §8). */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDecision, type LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { linesOf } from "../../decision-log/test-log.ts";
import { post } from "../../http/service-kit.ts";
import { newKey, TestIssuer } from "../../identity/oidc/issuer.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const { dataset } = JSON.parse(
  readFileSync(new URL("../../../fixtures/decisions/asserted-groups.json", import.meta.url), "utf8"),
);
const TOKEN = "portal-token-0123456789-0123456789";
const KEY = { access_key_id: "AKIAJTESTTESTTESTTEQ", secret_access_key: "a-secret-of-carol-0123456789" };
const folder = temporaryFolder();
let service: TestAuthorizer;
let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await TestIssuer.start(await newKey("k"));
  service = await startAuthorizer({
    dataset,
    config: {
      "authorizer.subjects.unknown": "from_request",
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": join(folder, "log"),
      "authorizer.decision_log.sync": "each",
      "authorizer.node_name": "n",
      "authorizer.oidc.issuers": [
        { name: "corp", issuer: issuer.url, audience: "authorizer", assert_groups: ["team-*"] },
      ] as never,
      "authorizer.tokens": [
        { name: "portal", token: TOKEN, scopes: ["decide", "read", "search"], assert_groups: ["team-*"] },
      ],
    },
  });
  await service.directory.groups.addMember("Admins", "carol");
  await service.directory.credentials.create("carol", KEY);
});
afterAll(async () => {
  await service.close();
  await issuer.stop();
});

const isLine = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(new URL("../../../policies/schema/decision.schema.json", import.meta.url), "utf8")),
);

/** The record that a call leaves. */
async function recordOf(path: string, body: unknown): Promise<LoggedDecision> {
  const answer = await post({ url: service.url, token: TOKEN }, `/access/v1${path}`, body);
  expect(answer.status).toBe(200);
  const record = linesOf(join(folder, "log", "n-0"))
    .filter(isDecision)
    .at(-1) as LoggedDecision;
  expect(isLine(record), JSON.stringify(isLine.errors)).toBe(true);
  return record;
}

const ASSERTED = { by: "portal", groups: ["team-red"] };
const required = { action: "demo:Read", resource: "arn:svc:demo:::record/red-1" };

describe("a record", () => {
  it("names the groups that decided, and the token that asserted them", async () => {
    const record = await recordOf("/check", { user: "zoe", groups: ["team-red", "Admins"], required });
    expect(record).toMatchObject({
      subject: { type: "user", id: "zoe", asserted: ASSERTED },
      decision: true,
      determining: [{ policy: "Red", via: [{ group: "team-red" }] }],
    });
  });

  it("of a batch does too", async () => {
    const subject = { type: "user", id: "zoe", properties: { groups: ["team-red"] } };
    const evaluations = ["red-1", "blue-1"].map((id) => ({ resource: { type: "record", id } }));
    const record = await recordOf("/evaluations", { subject, action: { name: "read" }, evaluations });
    expect(record.subject).toMatchObject({ id: "zoe", asserted: ASSERTED });
    expect(record.counts).toEqual({ allow: 1, neutral: 1, deny: 0 });
  });

  it("about a user has no such member", async () => {
    const record = await recordOf("/check", { user: "alice", groups: ["team-blue"], required });
    expect(record.subject).toEqual({ type: "user", id: "alice" });
  });

  it.each([
    ["/search/resource", { action: { name: "read" }, resource: { type: "record" } }],
    ["/search/resource", { action: { name: "no" }, resource: { type: "record" } }],
    ["/search/resource", { action: { name: "write" }, resource: { type: "record" } }],
    ["/search/action", { resource: { type: "record", id: "red-1" } }],
    ["/what-can", { resource: required.resource }],
    ["/plan", { action: required.action }],
  ])("of a search does too: %s %j", async (path, question) => {
    const [user, groups] = ["zoe", ["team-red", "Admins"]];
    const subject = { type: "user", id: user, properties: { groups } };
    const body = path.startsWith("/search") ? { subject, ...question } : { user, groups, ...question };
    const isNothing = JSON.stringify(question).includes('"no"');
    const record = await recordOf(path, body);
    expect(record.subject).toEqual({ type: "user", id: "zoe", ...(!isNothing && { asserted: ASSERTED }) });
    expect((record.items ?? []).map((item) => item.subject)).toEqual(
      (record.items ?? []).map(() => undefined),
    );
    const named = { type: "user", id: "alice", properties: { groups } };
    const ofUser = path.startsWith("/search") ? { ...body, subject: named } : { ...body, user: "alice" };
    expect((await recordOf(path, ofUser)).subject).toEqual({ type: "user", id: "alice" });
  });

  it("is explained with the groups as they were", async () => {
    const { id } = await recordOf("/check", { user: "yan", groups: ["team-red"], required });
    const basic = Buffer.from(`${KEY.access_key_id}:${KEY.secret_access_key}`).toString("base64");
    const url = `${service.userUrl}/api/v1/decisions/${id}?explain=true`;
    const response = await fetch(url, { headers: { authorization: `Basic ${basic}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      explanations: [{ effect: "allow", determining: [{ policy: "Red", via: [{ group: "team-red" }] }] }],
    });
  });

  it("is replayed with the groups that it names, of which those that are gone give nothing", async () => {
    const log = join(folder, "log");
    const { resource_types: _types, resources: _resources, ...world } = dataset;
    const gone = {
      ...world,
      groups: world.groups.filter(({ name }: { name: string }) => name !== "team-red"),
    };
    const users = [{ username: "alice" }, { username: "carol" }];
    writeFileSync(join(folder, "from.json"), JSON.stringify(world));
    writeFileSync(join(folder, "to.json"), JSON.stringify({ ...gone, users }));
    const args = ["policy", "replay", "--log", log, "--from", "from.json", "--to", "to.json", "--json"];
    const { stdout, stderr } = await svcctl(args, { cwd: folder });
    expect(stderr).toBe("");
    const { decisions, narrower, wider, groups } = JSON.parse(stdout);
    expect({ decisions, narrower, wider }).toEqual({ decisions: 6, narrower: 4, wider: 0 });
    expect(groups).toMatchObject([{ change: "narrower", side: "removed", policy: "Red", count: 4 }]);
  });

  it("names the issuer whose token asserted them, and never has the token", async () => {
    const token = await issuer.token({ groups: ["team-red", "Admins"] });
    const forged = `${token.slice(0, -8)}AAAAAAAA`;
    const subject = (own: string) => ({
      type: "user",
      id: "zoe",
      properties: { token: own, shift: "early" },
    });
    const whole = { action: { name: "read" }, resource: { type: "record", id: "red-1" } };
    // A condition makes the fields of the request a part of the record.
    await service.directory.policies.create({
      name: "EarlyShift",
      statement: [
        {
          effect: "allow",
          action: ["demo:Write"],
          resource: "*",
          condition: { StringEquals: { "subject.shift": ["early"] } },
        },
      ],
    });
    await service.directory.groups.attachPolicy("team-red", "EarlyShift");
    const record = await recordOf("/evaluation", { subject: subject(token), ...whole });
    expect(record.subject).toMatchObject({ id: "zoe", asserted: { by: "corp", groups: ["team-red"] } });
    expect(record.decision).toBe(true);
    expect(JSON.stringify(record)).toContain("early");
    const refused = await recordOf("/evaluation", { subject: subject(forged), ...whole });
    expect(refused).toMatchObject({ decision: false, subject: { id: "zoe" } });
    await recordOf("/check", { user: "zoe", token, required });
    await service.directory.groups.detachPolicy("team-red", "EarlyShift");
    const lines = linesOf(join(folder, "log", "n-0")).map((line) => JSON.stringify(line));
    for (const secret of [token, forged]) expect(lines.some((line) => line.includes(secret))).toBe(false);
  });
});
