/**
 * Tokens of identity providers in the decision API (spec/decision-api §8.9): every call verifies them with the keys of a
 * real issuer, and they give an unknown subject the policies of groups, and a user of the directory nothing.
 */

import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { base64url, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post } from "../../http/service-kit.ts";
import { newKey, TestIssuer } from "../../identity/oidc/issuer.ts";
import { type Ask, arnOf, authzenSubject, CALLS } from "./call-kinds.ts";

interface Case {
  readonly name: string;
  readonly user: string;
  readonly groups?: readonly string[];
  readonly claims: JWTPayload;
  readonly names_users?: boolean;
  readonly why?: "unknown" | "invalid" | "too_many_groups" | "groups_overage";
  /** Prefix and number of further groups. */
  readonly more_groups?: readonly [string, number];
  readonly reads: readonly string[];
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/decisions/${name}.json`, import.meta.url), "utf8"));
const { dataset } = read("asserted-groups") as { readonly dataset: DatasetDocument };
const written = read("subject-tokens") as { readonly cases: readonly Case[] };
const cases = written.cases.map(({ more_groups: [prefix, count] = ["", 0], ...one }) => {
  const more = Array.from({ length: count }, (_, number) => `${prefix}${number}`);
  return count === 0 ? one : { ...one, claims: { groups: [...more, ...(one.claims["groups"] as string[])] } };
});
const REASONS: Readonly<Record<string, string>> = { unknown: "unknown_user", invalid: "invalid_token" };

const TOKEN = "portal-token-0123456789-0123456789";
const FIRST = await newKey("first");
const SECOND = await newKey("second");
const required = { action: "demo:Read", resource: arnOf("red-1") };

let issuer: TestIssuer;
let service: TestAuthorizer;
let naming: TestAuthorizer;
let without: TestAuthorizer;

function start(issuers: readonly object[], unknown = "from_request"): Promise<TestAuthorizer> {
  const scopes = ["decide", "search", "read"];
  return startAuthorizer({
    dataset,
    config: {
      "authorizer.subjects.unknown": unknown,
      "authorizer.oidc.issuers": issuers,
      "authorizer.tokens": [{ name: "portal", token: TOKEN, scopes, assert_groups: ["team-*"] }],
    } as never,
  });
}

const corp = (more: object = {}) => ({
  name: "corp",
  issuer: issuer.url,
  audience: "authorizer",
  assert_groups: ["team-*", "Locked"],
  ...more,
});

beforeAll(async () => {
  issuer = await TestIssuer.start(FIRST);
  service = await start([corp()]);
  naming = await start([corp({ directory_users: true })]);
  without = await start([]);
});
afterAll(async () => {
  for (const one of [service, naming, without]) await one.close();
  await issuer.stop();
});

/** The body of an answer 200 of a service. */
function asking(on: TestAuthorizer): Ask {
  return async (path, body) => {
    // JSON has no undefined: members without a value are left out.
    const clean: unknown = JSON.parse(JSON.stringify(body));
    const answer = await post({ url: on.url, token: TOKEN }, `/access/v1${path}`, clean);
    expect([answer.status, path]).toEqual([200, path]);
    return answer.body;
  };
}

const ask: Ask = (path, body) => asking(service)(path, body);

const ofCase = async ({ user, groups, claims }: Case) => ({
  user,
  groups,
  token: await issuer.token({ sub: user, ...claims }),
});

describe.each(Object.entries(CALLS))("the call %s", (_, call) => {
  it.each(cases)("decides by a token: $name", async (one) => {
    const subject = await ofCase(one);
    // Twice: the second time the token, its groups and its user are known.
    for (let time = 0; time < 2; time++) {
      expect(await call(asking(one.names_users === true ? naming : service), subject)).toEqual(one.reads);
    }
  });

  it("believes no token where no issuer is configured", async () => {
    const token = await issuer.token({ groups: ["team-red"] });
    expect(await call(asking(without), { user: "zoe", token })).toEqual([]);
  });
});

/** Tokens that look like those of the issuer and do not hold. */
const FORGED: Readonly<Record<string, () => Promise<string>>> = {
  "without a signature": async () => {
    const [, payload = ""] = (await issuer.token({ groups: ["team-red"] })).split(".");
    return `${base64url.encode('{"alg":"none"}')}.${payload}.`;
  },
  "with the signature cut off": async () => {
    const [header, payload] = (await issuer.token({ groups: ["team-red"] })).split(".");
    return `${header}.${payload}.`;
  },
  "signed with the published key as if it were a secret": async () => {
    const pem = createPublicKey({ key: FIRST.publicJwk as never, format: "jwk" }).export({
      type: "spki",
      format: "pem",
    });
    return signedWith(Buffer.from(pem));
  },
  "signed with the token of the service": () => signedWith(Buffer.from(TOKEN)),
  "signed with another key of the same id": async () =>
    issuer.token({ groups: ["team-red"] }, { key: { ...SECOND, kid: FIRST.kid } }),
  "with a key of its own": async () =>
    issuer.token({ groups: ["team-red"] }, { key: SECOND, header: { jwk: SECOND.publicJwk } as never }),
  "with claims that were changed": async () => {
    const [header, , signature] = (await issuer.token({ groups: [] })).split(".");
    const [, payload] = (await issuer.token({ groups: ["team-red"] })).split(".");
    return `${header}.${payload}.${signature}`;
  },
  "that is over": async () =>
    issuer.token({ exp: Math.floor(Date.now() / 1_000) - 60, groups: ["team-red"] }),
  "that is no token": async () => "team-red",
  "that is empty": async () => "",
};

function signedWith(secret: Uint8Array): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer.url, aud: "authorizer", sub: "zoe", groups: ["team-red"] };
  return new SignJWT({ ...claims, iat: now, exp: now + 300 })
    .setProtectedHeader({ alg: "HS256", kid: FIRST.kid })
    .sign(secret);
}

describe("a token that does not hold", () => {
  it.each(Object.entries(FORGED))("%s gives nothing, and the answer says why", async (_, forge) => {
    const token = await forge();
    for (const user of ["zoe", "alice"]) {
      const native = { user, groups: ["team-red"], token };
      expect(await ask("/check", { ...native, required })).toMatchObject({
        allowed: false,
        reason: "invalid_token",
      });
      expect(await ask("/what-can", { ...native, resource: required.resource })).toMatchObject({
        results: [],
        reason: "invalid_token",
      });
      expect(await ask("/plan", { ...native, action: "demo:Read" })).toMatchObject({
        kind: "never",
        reason: "invalid_token",
      });
      const request = { method: "GET", path: "/api/v1/repositories/data", api: "main" };
      expect(await ask("/request", { ...native, ...request })).toMatchObject({ reason: "invalid_token" });
      const body = { subject: authzenSubject(native), action: { name: "read" } };
      const answer = await ask("/evaluation", { ...body, resource: { type: "record", id: "red-1" } });
      expect(answer).toMatchObject({ decision: false, context: { reason: "invalid_token" } });
    }
  });

  it.each(cases.filter(({ why }) => why !== undefined))("and $name: the reason", async (one) => {
    const answer = await ask("/check", { ...(await ofCase(one)), required });
    expect(answer.reason).toBe(REASONS[one.why!] ?? one.why);
  });

  it.each([[["x"]], [5], [{}], [true]])("%j is none", async (token) => {
    const properties = { token, groups: ["team-red"] };
    const answer = await ask("/evaluation", {
      subject: { type: "user", id: "alice", properties },
      action: { name: "read" },
      resource: { type: "record", id: "red-1" },
    });
    expect(answer).toMatchObject({ decision: false, context: { reason: "invalid_token" } });
    const check = await post({ url: service.url, token: TOKEN }, "/access/v1/check", {
      user: "alice",
      token,
      required,
    });
    expect([check.status, check.body.problems[0].pointer]).toEqual([400, "/token"]);
  });
});

describe("in a batch", () => {
  const evaluations = (subjects: readonly object[]) => ({
    action: { name: "read" },
    resource: { type: "record", id: "red-1" },
    evaluations: subjects.map((subject) => ({ subject })),
  });
  const decisions = async (subjects: readonly object[]): Promise<boolean[]> =>
    (await ask("/evaluations", evaluations(subjects))).evaluations.map(
      ({ decision }: { readonly decision: boolean }) => decision,
    );

  it("a token counts for its element alone, also beside the same user without one", async () => {
    const alice = { type: "user", id: "alice" };
    const token = await issuer.token({ sub: "alice", groups: ["team-red"] });
    const shown = { ...alice, properties: { token } };
    expect(await decisions([alice])).toEqual([true]);
    expect(await decisions([alice, shown, alice, shown, shown, alice])).toEqual([
      true,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it("the same token and many others are verified", async () => {
    const before = issuer.requests.length;
    const token = await issuer.token({ sub: "wim", groups: ["team-red"] });
    const same = Array.from({ length: 100 }, () => authzenSubject({ user: "wim", token }));
    const others = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const groups = index % 2 === 0 ? ["team-red"] : ["team-blue"];
        const user = `user-${index}`;
        return authzenSubject({ user, token: await issuer.token({ sub: user, groups }) });
      }),
    );
    expect(await decisions([...same, ...others])).toEqual([
      ...same.map(() => true),
      ...others.map((_, index) => index % 2 === 0),
    ]);
    expect(issuer.requests.length).toBe(before);
  });
});

describe("a token", () => {
  it("is told of in explanations by its issuer, and is no attribute that a condition reads", async () => {
    const token = await issuer.token({ groups: ["team-red", "Admins"] });
    const { explanation } = await ask("/check", { user: "zoe", token, required, explain: true });
    expect(explanation.asserted).toEqual({ by: "corp", groups: ["team-red"] });
    expect(JSON.stringify(explanation)).not.toContain(token);
    await service.directory.policies.create({
      name: "ReadsTokens",
      statement: [
        {
          effect: "allow",
          action: ["demo:Write"],
          resource: "*",
          condition: { Null: { "subject.token": ["false"] } },
        },
      ],
    });
    await service.directory.groups.attachPolicy("team-red", "ReadsTokens");
    const resource = { type: "record", id: "red-1" };
    for (const [name, decision] of [["read", true] as const, ["write", false] as const]) {
      const subject = authzenSubject({ user: "zoe", token });
      expect((await ask("/evaluation", { subject, action: { name }, resource })).decision).toBe(decision);
    }
    // Nobody verifies it there, and it is no attribute all the same.
    const body = {
      subject: authzenSubject({ user: "alice", token: "x" }),
      action: { name: "read" },
      resource,
    };
    expect((await asking(without)("/evaluation", body)).decision).toBe(true);
  });

  it("may be a newer one on the next page of a search", async () => {
    const subject = async (jti: string) =>
      authzenSubject({ user: "zoe", token: await issuer.token({ jti, groups: ["team-red", "team-blue"] }) });
    const body = { action: { name: "read" }, resource: { type: "record" } };
    const first = await ask("/search/resource", { ...body, subject: await subject("1"), page: { limit: 1 } });
    expect(first.results).toHaveLength(1);
    const page = { limit: 1, token: first.page.next_token };
    const second = await ask("/search/resource", { ...body, subject: await subject("2"), page });
    expect([...first.results, ...second.results].map(({ id }: { id: string }) => id)).toEqual([
      "blue-1",
      "red-1",
    ]);
  });

  it("of a new key holds as soon as the issuer is asked again, and one of a key that is gone no more", async () => {
    const groups = ["team-red"];
    const other = await TestIssuer.start(FIRST);
    const own = await start([corp({ issuer: other.url })]);
    try {
      const allows = async (token: string): Promise<boolean> =>
        (await asking(own)("/check", { user: "zoe", token, required })).allowed;
      expect(await allows(await other.token({ groups }))).toBe(true);
      other.keys = [SECOND];
      const renewed = await other.token({ groups });
      await expect.poll(() => allows(renewed), { interval: 500 }).toBe(true);
      expect(await allows(await other.token({ groups, jti: "2" }, { key: FIRST }))).toBe(false);
      const known = await other.token({ groups, jti: "3" });
      await other.stop();
      expect(await allows(known)).toBe(true);
    } finally {
      await own.close();
    }
  });

  it("is 503 while the keys of its issuer cannot be had, in batches too", async () => {
    const other = await TestIssuer.start(FIRST);
    const token = await other.token({ groups: ["team-red"] });
    const own = await start([corp({ issuer: other.url })]);
    await other.stop();
    try {
      const resource = { type: "record", id: "red-1" };
      const element = { subject: authzenSubject({ user: "zoe", token }), action: { name: "read" }, resource };
      for (const [path, body] of [
        ["/check", { user: "zoe", token, required }],
        ["/evaluation", element],
        ["/evaluations", { evaluations: [element, element] }],
        ["/filter", { user: "zoe", token, action: "read", type: "record", ids: ["red-1"] }],
      ] as const) {
        const answer = await post({ url: own.url, token: TOKEN }, `/access/v1${path}`, body);
        expect([path, answer.status]).toEqual([path, 503]);
      }
    } finally {
      await own.close();
    }
  });

  it("gives an unknown subject nothing where those are denied", async () => {
    const own = await start([corp({ directory_users: true })], "deny");
    try {
      const check = async (user: string) =>
        asking(own)("/check", {
          user,
          token: await issuer.token({ sub: user, groups: ["team-red"] }),
          required,
        });
      expect(await check("zoe")).toMatchObject({ allowed: false, reason: "unknown_user" });
      expect(await check("alice")).toMatchObject({ allowed: true });
    } finally {
      await own.close();
    }
  });
});
