/** Every call decides in the same way about subjects that the directory does not know (spec/decision-api §8). */

import { readFileSync } from "node:fs";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post } from "../../http/service-kit.ts";
import { type Ask, arnOf, authzenSubject, CALLS, IDS } from "./call-kinds.ts";

interface Case {
  readonly name: string;
  readonly token?: "portal" | "plain";
  readonly user: string;
  readonly groups?: readonly string[];
  readonly unknown?: boolean;
  readonly reads: readonly string[];
}

const { dataset, cases, malformed } = JSON.parse(
  readFileSync(new URL("../../../fixtures/decisions/asserted-groups.json", import.meta.url), "utf8"),
) as {
  readonly dataset: DatasetDocument;
  readonly cases: readonly Case[];
  readonly malformed: readonly { readonly name: string; readonly groups: unknown }[];
};

const TOKENS = { portal: "portal-token-0123456789-0123456789", plain: "plain-token-0123456789-01234567890" };
const SCOPES = ["decide", "search", "read"];

async function start(unknown: "deny" | "from_request"): Promise<TestAuthorizer> {
  return startAuthorizer({
    dataset,
    config: {
      "authorizer.subjects.unknown": unknown,
      "authorizer.tokens": [
        { name: "portal", token: TOKENS.portal, scopes: SCOPES, assert_groups: ["team-*", "Locked"] },
        { name: "plain", token: TOKENS.plain, scopes: SCOPES },
      ],
    },
  });
}

const service = await closedAfterAll(start("from_request"));
const denying = await closedAfterAll(start("deny"));

/** The body of an answer 200 of the service. */
async function ask(on: TestAuthorizer, token: keyof typeof TOKENS, path: string, body: unknown) {
  const answer = await post({ url: on.url, token: TOKENS[token] }, `/access/v1${path}`, body);
  expect([answer.status, path]).toEqual([200, path]);
  return answer.body;
}

/** JSON has no undefined: members without a value are left out. */
const clean = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

describe.each(Object.entries(CALLS))("the call %s", (_, call) => {
  it.each(cases)("decides about $name", async ({ token = "portal", user, groups, reads }) => {
    // Twice: from the store, then from the caches.
    for (let time = 0; time < 2; time++) {
      expect(await call((path, body) => ask(service, token, path, clean(body)), { user, groups })).toEqual(
        reads,
      );
    }
  });

  it("denies unknown subjects unless the configuration says otherwise", async () => {
    const asked: Ask = (path, body) => ask(denying, "portal", path, clean(body));
    expect(await call(asked, { user: "zoe", groups: ["team-red"] })).toEqual([]);
    expect(await call(asked, { user: "alice", groups: ["team-blue"] })).toEqual(["red-1"]);
  });
});

describe("an unknown subject", () => {
  const evaluate = (groups: unknown, user = "zoe") => {
    const resource = { type: "record", id: "red-1" };
    return ask(service, "portal", "/evaluation", {
      subject: authzenSubject({ user, groups: groups as never }),
      action: { name: "read" },
      resource,
    });
  };

  it.each(cases.filter(({ unknown }) => unknown === true))("stays unknown: $name", async (one) => {
    const { token = "portal", user, groups } = one;
    const required = { action: "demo:Read", resource: arnOf("red-1") };
    const answer = await ask(service, token, "/check", clean({ user, groups, required }));
    expect(answer).toMatchObject({ allowed: false, effect: "neutral", reason: "unknown_user" });
    const body = { subject: authzenSubject({ user, groups: groups as never }), action: { name: "read" } };
    const whole = { ...body, resource: { type: "record", id: "red-1" } };
    expect((await ask(service, token, "/evaluation", whole)).context.reason).toBe("unknown_subject");
  });

  it.each(malformed)("asserts nothing by $name", async ({ groups }) => {
    const reason = Array.isArray(groups) && groups.length > 200 ? "too_many_groups" : "unknown_subject";
    expect(await evaluate(groups)).toMatchObject({ decision: false, context: { reason } });
  });

  it.each(malformed)("of a check cannot have $name as groups", async ({ groups }) => {
    const required = { action: "demo:Read", resource: arnOf("red-1") };
    const token = TOKENS.portal;
    const answer = await post({ url: service.url, token }, "/access/v1/check", {
      user: "zoe",
      groups,
      required,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.problems[0].pointer).toMatch(/^\/groups/);
  });

  it("may be in 200 groups, and in none of a longer list", async () => {
    const many = Array.from({ length: 199 }, (_, index) => `team-${index}`);
    expect((await evaluate([...many, "team-red"])).decision).toBe(true);
    expect((await evaluate([...many, "team-x", "team-red"])).decision).toBe(false);
  });

  it("of a type other than user is unknown", async () => {
    const subject = { ...authzenSubject({ user: "zoe", groups: ["team-red"] }), type: "service" };
    const body = { subject, action: { name: "read" }, resource: { type: "record", id: "red-1" } };
    expect((await ask(service, "portal", "/evaluation", body)).decision).toBe(false);
  });

  it("is explained: whose groups, and who said so", async () => {
    const required = { action: "demo:Read", resource: arnOf("red-1") };
    const groups = ["team-red", "team-gone", "Admins", "team-empty"];
    const body = { user: "zoe", groups, required, explain: true };
    const { explanation } = await ask(service, "portal", "/check", body);
    expect(explanation.asserted).toEqual({ by: "portal", groups: ["team-empty", "team-red"] });
    expect(explanation.determining[0]).toMatchObject({ policy: "Red", via: [{ group: "team-red" }] });
    const known = await ask(service, "portal", "/check", { ...body, user: "alice" });
    expect(known.explanation.asserted).toBeUndefined();
  });

  it("has a plan, but is found by no search for users", async () => {
    const groups = ["team-red"];
    const plan = await ask(service, "portal", "/plan", { user: "zoe", groups, action: "demo:Read" });
    expect(plan).toMatchObject({ kind: "conditional", allow: [arnOf("red*")] });
    const refused = await ask(service, "plain", "/plan", { user: "zoe", groups, action: "demo:Read" });
    expect(refused).toMatchObject({ kind: "never", reason: "unknown_user" });
    const who = await ask(service, "portal", "/who-can", { action: "demo:Read", resource: arnOf("red-1") });
    expect(who.results.map(({ user }: { user: string }) => user)).toEqual(["alice"]);
  });

  it("is decided about in requests of a data server", async () => {
    const { directory } = service;
    await directory.policies.create({
      name: "ReadsData",
      statement: [
        { effect: "allow", action: ["fs:ReadRepository"], resource: "arn:svc:fs:::repository/data" },
      ],
    });
    await directory.groups.attachPolicy("team-empty", "ReadsData");
    const request = { method: "GET", path: "/api/v1/repositories/data", api: "main" };
    const of = (groups: readonly string[], token: "portal" | "plain" = "portal") =>
      ask(service, token, "/request", { user: "zoe", groups, ...request });
    expect((await of(["team-empty"])).allowed).toBe(true);
    expect((await of(["team-red"])).allowed).toBe(false);
    expect(await of(["team-empty"], "plain")).toMatchObject({ allowed: false, reason: "unknown_user" });
  });

  it("is decided about in streams", async () => {
    const head = { user: "zoe", groups: ["team-blue"], type: "record", action: "read" };
    const response = await fetch(`${service.url}/access/v1/filter`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${TOKENS.portal}` },
      body: [head, ...IDS].map((line) => JSON.stringify(line)).join("\n"),
    });
    const lines = (await response.text()).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { index: 1 },
      { complete: true, items: 3, allowed: 1 },
    ]);
  });
});
