/** Tokens of identity providers, verified with the keys of a real issuer (spec/security §7). */

import { createPublicKey } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { base64url, CompactSign, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OIDC_ALGORITHMS } from "../../../src/config/item.ts";
import type { OidcIssuer, OidcTokens } from "../../../src/identity/oidc/oidc.ts";
import { openOidc } from "../../../src/identity/oidc/open-oidc.ts";
import { type IssuerKey, newKey, TestIssuer } from "./issuer.ts";

const TIMES = { keep: 60_000, cooldown: 50 };
const REFUSED = { code: "unauthenticated" };
const FIRST = await newKey("first");
const SECOND = await newKey("second");
const ELSEWHERE = await newKey("elsewhere");
const ELLIPTIC = await newKey("elliptic", "ES256");

let issuer: TestIssuer;
let oidc: OidcTokens;
const settings = (more: Partial<OidcIssuer> = {}): OidcIssuer => ({
  name: "corp",
  issuer: issuer.url,
  audience: ["authorizer"],
  algorithms: ["RS256"],
  jwksUri: undefined,
  usernameClaim: "sub",
  groupsClaim: "groups",
  assertGroups: ["*"],
  directoryUsers: false,
  requiredClaims: new Map(),
  clockTolerance: 1_000,
  ...more,
});
beforeEach(async () => {
  issuer = await TestIssuer.start(FIRST);
  oidc = openOidc([settings()], { times: TIMES });
});
afterEach(() => issuer.stop().catch(() => undefined));

const now = () => Math.floor(Date.now() / 1_000);
const verify = async (token: string, tokens = oidc) => tokens.verify(token);

describe("a token", () => {
  it("names its subject and groups; its keys are found by discovery, and fetched once", async () => {
    for (let count = 0; count < 3; count++) {
      const subject = await verify(await issuer.token({ groups: ["a", "b"], jti: `${count}` }));
      expect(subject).toMatchObject({ how: "oidc_token", username: "zoe", groups: ["a", "b"] });
    }
    expect(issuer.requests).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  it("that was verified a moment ago is known at once", async () => {
    const token = await issuer.token();
    expect(oidc.verify(token)).toBeInstanceOf(Promise);
    await verify(token);
    expect(oidc.verify(token)).toMatchObject({ username: "zoe" });
  });

  it.each<[string, () => Promise<string>]>([
    ["is over", () => issuer.token({ exp: now() - 10 })],
    ["does not hold yet", () => issuer.token({ nbf: now() + 60 })],
    ["was made in the future", () => issuer.token({ iat: now() + 60 })],
    ["has no end", () => issuer.token({ exp: undefined as never })],
    ["does not say when it was made", () => issuer.token({ iat: undefined as never })],
    ["is for somebody else", () => issuer.token({ aud: "other" })],
    ["is for nobody", () => issuer.token({ aud: undefined as never })],
    ["names nobody", () => issuer.token({ sub: undefined as never })],
    ["names somebody by no text", () => issuer.token({ sub: 5 as never })],
    ["names somebody who acts as a wildcard", () => issuer.token({ sub: "a*" })],
    ["names somebody with a percent sign", () => issuer.token({ sub: "a%20b" })],
    ["was made for something else", () => issuer.token({}, { header: { typ: "logout+jwt" } })],
    [
      "has an extension that is not known",
      () => issuer.token({}, { header: { crit: ["x"], x: 1 } as never }),
    ],
    ["is signed with a key of another issuer", () => issuer.token({}, { key: { ...SECOND, kid: "first" } })],
    ["names a key that there is not", () => issuer.token({}, { key: SECOND })],
    ["has an algorithm that is not configured", () => issuer.token({}, { key: { ...FIRST, alg: "RS512" } })],
  ])("is refused if it %s", async (_, make) => {
    // Some of these the library refuses to make.
    const token = await make().catch(() => undefined);
    if (token === undefined) return;
    await expect(verify(token)).rejects.toMatchObject(REFUSED);
  });

  it("whose claims have names with escapes is read as they are, whatever others sent before", async () => {
    const claims = { iss: issuer.url, aud: "authorizer", sub: "zoe", iat: now(), exp: now() + 300 };
    // As Python and PHP write a name, and as a caller does who wants the next one to be read as his.
    const withClaim = (name: string) => `${JSON.stringify(claims).slice(0, -1)},"${name}":["a"]}`;
    const signed = (payload: string) =>
      new CompactSign(Buffer.from(payload))
        .setProtectedHeader({ alg: FIRST.alg, kid: FIRST.kid })
        .sign(FIRST.privateKey);
    const groupsClaim = "unité";
    const tokens = openOidc([settings({ groupsClaim })], { times: TIMES });
    const unsigned = `${base64url.encode('{"alg":"RS256"}')}.${base64url.encode(withClaim("unit\\\\"))}.`;
    await expect(verify(unsigned, tokens)).rejects.toMatchObject(REFUSED);
    const token = await signed(withClaim("unit\\u00e9"));
    expect(await verify(token, tokens)).toMatchObject({ username: "zoe", groups: ["a"] });
  });

  it("with an escape in a name of its header is refused", async () => {
    const [, payload, signature] = (await issuer.token()).split(".");
    const header = base64url.encode('{"alg":"RS256","kid":"first","\\u0074yp":"JWT"}');
    await expect(verify(`${header}.${payload}.${signature}`)).rejects.toMatchObject(REFUSED);
  });

  it("without a signature is refused", async () => {
    const [, payload = ""] = (await issuer.token()).split(".");
    for (const alg of ["none", "None", "RS256"]) {
      const header = base64url.encode(JSON.stringify({ alg, kid: "first", typ: "JWT" }));
      await expect(verify(`${header}.${payload}.`)).rejects.toMatchObject(REFUSED);
    }
  });

  it("that a client signed with the public key as a secret is refused", async () => {
    const pem = createPublicKey({ key: FIRST.publicJwk as never, format: "jwk" }).export({
      type: "spki",
      format: "pem",
    });
    const claims = { iss: issuer.url, aud: "authorizer", sub: "mallory", iat: now(), exp: now() + 60 };
    for (const secret of [pem, JSON.stringify(FIRST.publicJwk), FIRST.publicJwk.n as string]) {
      const header = { alg: "HS256", kid: "first" };
      const token = await new SignJWT(claims).setProtectedHeader(header).sign(Buffer.from(secret as string));
      await expect(verify(token)).rejects.toMatchObject(REFUSED);
    }
  });

  it("that brings its own key or an address of one is refused, and nobody is asked", async () => {
    for (const more of [
      { jwk: SECOND.publicJwk },
      { jku: `${issuer.url}/mine` },
      { x5u: `${issuer.url}/mine` },
    ]) {
      const token = await issuer.token({}, { key: SECOND, header: more });
      await expect(verify(token)).rejects.toMatchObject(REFUSED);
    }
    expect(issuer.requests).not.toContain("/mine");
  });

  it("of an issuer that is not configured is no token of these", async () => {
    expect(oidc.claimedIssuer(await issuer.token({ iss: `${issuer.url}/` }))).toBeUndefined();
    expect(oidc.claimedIssuer("not.a.token")).toBeUndefined();
    expect(oidc.claimedIssuer("x".repeat(100_000))).toBeUndefined();
    expect(issuer.requests).toEqual([]);
  });

  it("may be late by the tolerance of clocks", async () => {
    const tolerant = openOidc([settings({ clockTolerance: 30_000 })], { times: TIMES });
    const token = await issuer.token({ exp: now() - 10 });
    expect(await verify(token, tolerant)).toMatchObject({ username: "zoe" });
  });

  it("has its name and groups in the configured claims, also inside others", async () => {
    const more = { usernameClaim: "preferred_username", groupsClaim: "realm_access.roles" };
    const tokens = openOidc([settings(more)], { times: TIMES });
    const claims = { preferred_username: "zoe@corp", realm_access: { roles: ["r"] }, groups: ["g"] };
    expect(await verify(await issuer.token(claims), tokens)).toMatchObject({
      username: "zoe@corp",
      groups: ["r"],
    });
    await expect(verify(await issuer.token({}), tokens)).rejects.toMatchObject(REFUSED);
  });

  it.each(["JWT", "jwt", "application/jwt", "at+jwt", "Application/AT+JWT"])(
    "may be of type %s",
    async (typ) => {
      expect(await verify(await issuer.token({}, { header: { typ } as never }))).toMatchObject({
        username: "zoe",
      });
    },
  );

  it("is named by an e-mail address only if that is verified", async () => {
    const tokens = openOidc([settings({ usernameClaim: "email" })], { times: TIMES });
    const email = { email: "zoe@corp" };
    await expect(verify(await issuer.token(email), tokens)).rejects.toMatchObject(REFUSED);
    for (const email_verified of [false, "False", "yes", 1, null]) {
      const token = await issuer.token({ ...email, email_verified });
      await expect(verify(token, tokens)).rejects.toMatchObject(REFUSED);
    }
    // Some issuers write truth values as texts.
    for (const email_verified of [true, "true", "True"]) {
      const subject = await verify(await issuer.token({ ...email, email_verified }), tokens);
      expect(subject.username).toBe("zoe@corp");
    }
  });
});

describe("keys", () => {
  it("that are new are fetched when a token names them, and those that are gone end", async () => {
    await verify(await issuer.token());
    issuer.keys = [SECOND, ELLIPTIC];
    await delay(TIMES.cooldown + 20);
    expect(await verify(await issuer.token())).toMatchObject({ username: "zoe" });
    expect(issuer.requests.filter((path) => path === "/keys")).toHaveLength(2);
    await expect(verify(await issuer.token({ jti: "2" }, { key: FIRST }))).rejects.toMatchObject(REFUSED);
    // The key is published, and its algorithm is not configured.
    await expect(verify(await issuer.token({}, { key: ELLIPTIC }))).rejects.toMatchObject(REFUSED);
  });

  it("are not asked for again and again by tokens with unknown keys", async () => {
    const patient = openOidc([settings()], { times: { keep: 60_000, cooldown: 60_000 } });
    await verify(await issuer.token(), patient);
    const unknown = async (kid: string) => issuer.token({}, { key: { ...(SECOND as IssuerKey), kid } });
    for (let count = 0; count < 20; count++) {
      await expect(verify(await unknown(`k${count}`), patient)).rejects.toMatchObject(REFUSED);
    }
    expect(issuer.requests).toHaveLength(2);
  });
});

describe("a clock that is set back", () => {
  const HOUR_MS = 3_600_000;
  const monotonic = performance.now.bind(performance);
  let passed = 0;
  const setBack = (ms: number) => void vi.setSystemTime(Date.now() - ms);
  const pass = (ms: number) => {
    passed += ms;
    vi.setSystemTime(Date.now() + ms);
  };
  const old = () => issuer.token({ iat: now() - 2 * 3_600, exp: now() + 2 * 3_600 });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.spyOn(performance, "now").mockImplementation(() => monotonic() + passed);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it("leaves a withdrawn key no more time than it has", async () => {
    const token = await old();
    await verify(token);
    issuer.keys = [SECOND];
    setBack(HOUR_MS);
    pass(TIMES.keep + 60_000);
    await expect(verify(token)).rejects.toMatchObject(REFUSED);
    await verify(await old());
  });

  it("keeps no new key from being fetched", async () => {
    await verify(await old());
    setBack(HOUR_MS);
    issuer.keys = [FIRST, SECOND];
    pass(TIMES.cooldown + 1);
    const token = await issuer.token({ iat: now() - 60 }, { key: SECOND });
    expect(await verify(token)).toMatchObject({ username: "zoe" });
  });
});

describe("the keys of an issuer", () => {
  it("are those of its list that are keys, whatever else is in it", async () => {
    const body = JSON.stringify({ keys: [1, null, "key", [], FIRST.publicJwk, {}] });
    issuer.answer = () => ({ status: 200, body });
    const tokens = openOidc([settings({ jwksUri: `${issuer.url}/keys` })]);
    expect(await verify(await issuer.token(), tokens)).toMatchObject({ username: "zoe" });
  });

  const broken = { kty: "RSA", kid: "first", alg: "RS256", n: "!!", e: "AQAB" };
  it.each<[string, readonly object[]]>([
    ["a key without its numbers", [{ kty: "RSA", kid: "first" }]],
    ["a key with broken numbers", [broken]],
    ["another key of the same id", [{ ...SECOND.publicJwk, kid: "first" }]],
    ["the same key once more", [FIRST.publicJwk]],
    ["keys whose members are of other kinds", [{ kty: 5 }, { kty: "RSA", key_ops: "verify" }, { ext: "x" }]],
    [
      "keys for other uses",
      [
        { ...FIRST.publicJwk, use: "enc" },
        { kty: "oct", k: "abc", kid: "first" },
      ],
    ],
  ])("verify what they signed beside %s", async (_, beside) => {
    for (const keys of [
      [...beside, FIRST.publicJwk],
      [FIRST.publicJwk, ...beside],
    ]) {
      issuer.answer = () => ({ status: 200, body: JSON.stringify({ keys }) });
      const tokens = openOidc([settings({ jwksUri: `${issuer.url}/keys` })]);
      // An issuer with one key may leave out its id, also while the next key is there already.
      for (const header of [{}, { kid: undefined as never }]) {
        expect(await verify(await issuer.token({}, { header }), tokens)).toMatchObject({ username: "zoe" });
      }
      const forged = issuer.token({}, { key: { ...ELSEWHERE, kid: "first" } });
      await expect(verify(await forged, tokens)).rejects.toMatchObject(REFUSED);
      const late = issuer.token({ exp: now() - 10 }, { header: { kid: undefined as never } });
      await expect(verify(await late, tokens)).rejects.toMatchObject(REFUSED);
    }
  });

  it("are tried up to a bound for a token that names none", async () => {
    const others = await Promise.all(Array.from({ length: 16 }, (_, n) => newKey(`k${n}`, "ES256")));
    const body = JSON.stringify({ keys: [...others, ELLIPTIC].map(({ publicJwk }) => publicJwk) });
    issuer.answer = () => ({ status: 200, body });
    const tokens = openOidc([settings({ jwksUri: `${issuer.url}/keys`, algorithms: ["ES256"] })]);
    const of = (key: IssuerKey) => issuer.token({}, { key, header: { kid: undefined as never } });
    expect(await verify(await of(others[15] as IssuerKey), tokens)).toMatchObject({ username: "zoe" });
    await expect(verify(await of(ELLIPTIC), tokens)).rejects.toMatchObject(REFUSED);
  });

  it("may be of Ed25519 by its own name (RFC 9864)", async () => {
    const key = await newKey("edwards", "Ed25519");
    const body = JSON.stringify({ keys: [key.publicJwk] });
    issuer.answer = () => ({ status: 200, body });
    const token = await issuer.token({}, { key });
    const uri = `${issuer.url}/keys`;
    expect(OIDC_ALGORITHMS).toContain("Ed25519");
    const tokens = openOidc([settings({ jwksUri: uri, algorithms: ["Ed25519"] })]);
    expect(await verify(token, tokens)).toMatchObject({ username: "zoe" });
    const others = openOidc([settings({ jwksUri: uri, algorithms: ["RS256"] })]);
    await expect(verify(token, others)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

describe("an issuer that fails", () => {
  it.each<[string, string]>([
    ["no JSON", "<html>"],
    ["no keys", "{}"],
    ["keys that are none", '{"keys":[1]}'],
  ])(
    "with %s at the address of its keys is asked once, and everybody is told to try again",
    async (_, body) => {
      issuer.answer = () => ({ status: 200, body });
      const tokens = openOidc([settings({ jwksUri: `${issuer.url}/keys` })], {
        times: { keep: 60_000, cooldown: 60_000 },
      });
      for (let count = 0; count < 5; count++) {
        const token = await issuer.token({ jti: `${count}` });
        await expect(verify(token, tokens)).rejects.toMatchObject({ code: "unavailable" });
      }
      expect(issuer.requests).toEqual(["/keys"]);
    },
  );

  it("to publish its keys where they were is asked where they are now, once they no longer hold", async () => {
    const short = openOidc([settings()], { times: { keep: 0, cooldown: 0 } });
    await verify(await issuer.token(), short);
    const discovery = (path: string) =>
      JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}${path}` });
    const keys = JSON.stringify({ keys: [FIRST.publicJwk] });
    issuer.answer = (path) => {
      if (path === "/moved") return { status: 200, body: keys };
      return path === "/keys" ? { status: 404, body: "" } : { status: 200, body: discovery("/moved") };
    };
    const token = await issuer.token({ jti: "2" });
    await expect(verify(token, short)).rejects.toMatchObject({ code: "unavailable" });
    expect(await verify(token, short)).toMatchObject({ username: "zoe" });
  });

  it("leaves what its keys verify, and other tokens unanswered until it is back", async () => {
    const { port } = issuer;
    const before = settings();
    const known = await issuer.token();
    await verify(known);
    const another = await issuer.token({ jti: "2" });
    await issuer.stop();
    expect(await verify(another)).toMatchObject({ username: "zoe" });
    const fresh = openOidc([before], { times: TIMES });
    await expect(verify(another, fresh)).rejects.toMatchObject({ code: "unavailable" });
    issuer = await TestIssuer.start(FIRST, port);
    await delay(TIMES.cooldown + 20);
    expect(await verify(another, fresh)).toMatchObject({ username: "zoe" });
  });

  it.each<[string, { status: number; body: string; headers?: Record<string, string> }]>([
    ["an error", { status: 500, body: "{}" }],
    [
      "another document",
      { status: 200, body: '{"issuer":"https://elsewhere","jwks_uri":"https://elsewhere/keys"}' },
    ],
    ["no JSON", { status: 200, body: "<html>" }],
    ["more than a mebibyte", { status: 200, body: `{"issuer":"${"x".repeat(1 << 20)}"}` }],
    ["a redirection", { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }],
  ])("with %s lets nobody pass", async (_, answer) => {
    const tokens = openOidc([settings()], { times: { ...TIMES, cooldown: 60_000 } });
    issuer.answer = () => answer;
    const failed = async (jti: string) =>
      expect(verify(await issuer.token({ jti }), tokens)).rejects.toMatchObject({ code: "unavailable" });
    await failed("1");
    const count = issuer.requests.length;
    // Another one at once is not asked for.
    await failed("2");
    expect(issuer.requests.length).toBe(count);
  });
});
