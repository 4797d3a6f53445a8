import { createHash, createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { SCOPES, type Scope } from "../../src/api/service-caller.ts";
import { BearerVerifier } from "../../src/listeners/bearer.ts";
import { serviceDocument } from "../../src/listeners/service-document.ts";
import { API_TOKEN, post, raw, startService, type TestService } from "./service-kit.ts";

const KEY = "the key of the data server, well over 32 bytes";
const OLD_KEY = "the key before that one, also well over 32 bytes";
const NOW = Math.floor(Date.now() / 1000);

/** A JWT of any header and payload, sound or not. */
function jwt(payload: object, { header = {}, key = KEY, hash = "sha256" } = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT", ...header })}.${part(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}

const SERVICE = { aud: ["auth-client"], sub: "_internal", iat: NOW, jti: "x", exp: NOW + 3600 };

const REFUSED_JWTS: [string, string][] = [
  ["a login token", jwt({ ...SERVICE, aud: "login", sub: "alice" })],
  ["a login token in an array", jwt({ ...SERVICE, aud: ["login"] })],
  ["two audiences", jwt({ ...SERVICE, aud: ["auth-client", "login"] })],
  ["the audience twice", jwt({ ...SERVICE, aud: ["auth-client", "auth-client"] })],
  ["another case of the audience", jwt({ ...SERVICE, aud: "Auth-Client" })],
  ["no audience", jwt({ ...SERVICE, aud: undefined })],
  ["an empty audience", jwt({ ...SERVICE, aud: "" })],
  ["an empty array of audiences", jwt({ ...SERVICE, aud: [] })],
  ["a null audience", jwt({ ...SERVICE, aud: null })],
  ["no exp", jwt({ ...SERVICE, exp: undefined })],
  ["an exp that is past", jwt({ ...SERVICE, exp: NOW - 1 })],
  ["an exp that is a text", jwt({ ...SERVICE, exp: String(NOW + 3600) })],
  ["an nbf to come", jwt({ ...SERVICE, nbf: NOW + 3600 })],
  ["alg none", `${jwt(SERVICE, { header: { alg: "none" } }).replace(/[^.]*$/, "")}`],
  ["alg none, signed", jwt(SERVICE, { header: { alg: "none" } })],
  ["HS512", jwt(SERVICE, { header: { alg: "HS512" }, hash: "sha512" })],
  ["HS384", jwt(SERVICE, { header: { alg: "HS384" }, hash: "sha384" })],
  ["a crit header", jwt(SERVICE, { header: { crit: ["exp"], exp: 1 } })],
  ["an empty crit header", jwt(SERVICE, { header: { crit: [] } })],
  ["another key", jwt(SERVICE, { key: "some other key of more than 32 bytes" })],
  ["a changed payload", jwt(SERVICE).replace(/\.[^.]*\./, `.${Buffer.from("{}").toString("base64url")}.`)],
  ["no signature", jwt(SERVICE).replace(/[^.]*$/, "")],
  ["two parts", "a.b"],
  ["nonsense", "nonsense"],
  ["a very long one", jwt({ ...SERVICE, more: "x".repeat(5000) })],
];

const EVALUATION = {
  subject: { type: "user", id: "alice" },
  action: { name: "fs:ReadObject" },
  resource: { type: "arn", id: "arn:svc:fs:::repository/data" },
};
const CHECK = { user: "alice", required: { action: "fs:ReadObject", resource: "*" } };
const REQUEST = { user: "alice", method: "GET", path: "/api/v1/user", api: "main" };

/** Every call of the listener with the scopes that it needs, all of them. */
const CALLS: [string, string, unknown, Scope[]][] = [
  ["evaluation", "/access/v1/evaluation", EVALUATION, ["decide"]],
  ["evaluation, explained", "/access/v1/evaluation?explain=true", EVALUATION, ["decide", "read"]],
  ["evaluations", "/access/v1/evaluations", { ...EVALUATION, evaluations: [{}] }, ["decide"]],
  [
    "evaluations, explained",
    "/access/v1/evaluations?explain=true",
    { ...EVALUATION, evaluations: [{}] },
    ["decide", "read"],
  ],
  ["check", "/access/v1/check", CHECK, ["decide"]],
  ["check, explained", "/access/v1/check", { ...CHECK, explain: true }, ["decide", "read"]],
  ["filter", "/access/v1/filter", { user: "alice", action: "fs:ReadObject", resources: [] }, ["decide"]],
  ["simulate", "/access/v1/simulate", { ...CHECK, policies: [] }, ["decide"]],
  [
    "simulate, explained",
    "/access/v1/simulate",
    { ...CHECK, policies: [], explain: true },
    ["decide", "read"],
  ],
  ["simulate, a candidate", "/access/v1/simulate", { ...CHECK, candidate: {} }, ["decide", "read"]],
  [
    "simulate, a candidate among cases",
    "/access/v1/simulate",
    {
      cases: [
        { ...CHECK, policies: [] },
        { ...CHECK, candidate: {} },
      ],
    },
    ["decide", "read"],
  ],
  ["request", "/access/v1/request", REQUEST, ["decide"]],
  ["search for subjects", "/access/v1/search/subject", EVALUATION, ["search"]],
  ["search for resources", "/access/v1/search/resource", EVALUATION, ["search"]],
  ["search for actions", "/access/v1/search/action", EVALUATION, ["search"]],
  ["plan", "/access/v1/plan", { user: "alice", action: "fs:ReadObject" }, ["read"]],
  ["who-can", "/access/v1/who-can", CHECK.required, ["read"]],
  ["what-can", "/access/v1/what-can", { user: "alice", resource: "*" }, ["read"]],
];

const tokenWith = (scopes: readonly Scope[]) => `token-for-${scopes.join("-")}`.padEnd(40, "-");
const SETS: readonly Scope[][] = [...SCOPES.map((scope): Scope[] => [scope]), ["decide", "read"]];

describe("the scopes", () => {
  let service: TestService;
  beforeAll(async () => {
    const tokens = SETS.map((scopes) => ({ name: scopes.join("+"), token: tokenWith(scopes), scopes }));
    service = await startService({ bearer: { secretKey: KEY, tokens } });
  });
  afterAll(() => service.close());

  it.each(CALLS.flatMap((call) => SETS.map((scopes) => [...call, scopes] as const)))(
    "%s (%s, %j) with %j allowed only with %j",
    async (_name, path, body, needed, held) => {
      const answer = await post({ ...service, token: tokenWith(held) }, path, body);
      const missing = needed.find((scope) => !held.includes(scope));
      expect(answer.status).toBe(missing === undefined ? 200 : 403);
      if (missing !== undefined) {
        expect(answer.body).toEqual({ message: `this call needs a token with scope ${missing}` });
      }
    },
  );

  it("are tried with every decision route", () => {
    const routes = Object.keys(serviceDocument("0").paths).filter((path) => path.startsWith("/access/"));
    const tried = new Set(CALLS.map(([, path]) => path.replace(/\?.*/, "")));
    expect([...tried].sort()).toEqual(routes.sort());
  });

  it.each(CALLS)("%s: a JWT of the data server holds all of them", async (_name, path, body) => {
    expect((await post({ ...service, token: jwt(SERVICE) }, path, body)).status).toBe(200);
  });

  it.each(CALLS)("%s: a login token is refused", async (_name, path, body) => {
    const login = jwt({ ...SERVICE, aud: "login", sub: "alice" });
    const answer = await post({ ...service, token: login }, path, body);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("that are missing are logged with the name of the token, not with the token", () => {
    expect(service.log.refusals).toContainEqual(
      expect.objectContaining({ status: 403, caller: "metrics", path: "/access/v1/check" }),
    );
    expect(JSON.stringify(service.log)).not.toContain(tokenWith(["metrics"]));
  });
});

async function accepts(verifier: BearerVerifier, header: string, more: string[] = []): Promise<boolean> {
  const rawHeaders = ["Host", "x", "Authorization", header, ...more];
  try {
    await verifier.verify({ headers: { authorization: header }, rawHeaders } as never);
    return true;
  } catch {
    return false;
  }
}

describe("a JWT", () => {
  const verifier = () => new BearerVerifier({ secretKey: KEY });

  it.each([
    ["an array with the audience", jwt(SERVICE)],
    ["the audience as text", jwt({ ...SERVICE, aud: "auth-client" })],
    ["a fractional exp", jwt({ ...SERVICE, exp: NOW + 3600.5 })],
  ])("with %s is accepted, again and again", async (_title, token) => {
    const one = verifier();
    expect(await accepts(one, `Bearer ${token}`)).toBe(true);
    expect(
      one.verify({ headers: { authorization: `Bearer ${token}` }, rawHeaders: [] } as never),
    ).toMatchObject({
      name: "data-server",
    });
  });

  it("made by another library is accepted", async () => {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256" })
      .setAudience("auth-client")
      .setExpirationTime("10y")
      .sign(Buffer.from(KEY));
    expect(await accepts(verifier(), `Bearer ${token}`)).toBe(true);
  });

  it.each(REFUSED_JWTS)("with %s is refused, again and again", async (_title, token) => {
    const one = verifier();
    expect(await accepts(one, `Bearer ${token}`)).toBe(false);
    expect(await accepts(one, `Bearer ${token}`)).toBe(false);
  });

  it("is refused once it has expired, though it was accepted before", async () => {
    const one = verifier();
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const token = jwt({ ...SERVICE, exp: Date.now() / 1000 + 1.2 });
    expect(await accepts(one, `Bearer ${token}`)).toBe(true);
    vi.advanceTimersByTime(1300);
    expect(await accepts(one, `Bearer ${token}`)).toBe(false);
  });

  it("signed with the previous key is accepted, and only while that is set", async () => {
    const token = jwt(SERVICE, { key: OLD_KEY });
    expect(
      await accepts(new BearerVerifier({ secretKey: KEY, previousSecretKey: OLD_KEY }), `Bearer ${token}`),
    ).toBe(true);
    expect(await accepts(verifier(), `Bearer ${token}`)).toBe(false);
  });

  it("is refused where auth.api.token is set", async () => {
    expect(
      await accepts(new BearerVerifier({ apiToken: API_TOKEN, secretKey: KEY }), `Bearer ${jwt(SERVICE)}`),
    ).toBe(false);
  });

  it("signed with an empty key is refused where no key is set", async () => {
    for (const options of [{}, { secretKey: "" }, { secretKey: "", previousSecretKey: "" }]) {
      expect(await accepts(new BearerVerifier(options), `Bearer ${jwt(SERVICE, { key: "" })}`)).toBe(false);
    }
  });
});

describe("the Authorization header", () => {
  const verifier = new BearerVerifier({ apiToken: API_TOKEN });

  it.each([
    [`Bearer ${API_TOKEN}`, true],
    [`bearer ${API_TOKEN}`, true],
    [`BEARER   ${API_TOKEN}`, true],
    [`Bearer   ${API_TOKEN}`, true],
    [API_TOKEN, false],
    [`Basic ${API_TOKEN}`, false],
    ["Bearer", false],
    ["Bearer ", false],
    ["", false],
    [`Bearer ${API_TOKEN}x`, false],
    [`Bearer ${API_TOKEN.slice(1)}`, false],
    [`Bearer x${API_TOKEN.slice(1)}`, false],
    [`Bearer ${API_TOKEN} x`, false],
    [`Bearer ${API_TOKEN},Bearer ${API_TOKEN}`, false],
  ])("%j is accepted: %j", async (header, accepted) => {
    expect(await accepts(verifier, header)).toBe(accepted);
  });

  it("is refused when it is there twice", async () => {
    expect(await accepts(verifier, `Bearer ${API_TOKEN}`, ["AUTHORIZATION", "Bearer x"])).toBe(false);
    const service = await startService();
    const twice = `Authorization: Bearer ${API_TOKEN}\r\n`.repeat(2);
    const text = await raw(
      service.url,
      `POST /access/v1/check HTTP/1.1\r\nHost: x\r\n${twice}Connection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    await service.close();
  });

  it("is needed: 401 with WWW-Authenticate and JSON", async () => {
    const service = await startService();
    const response = await fetch(`${service.url}/access/v1/check`, { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toEqual({ message: "a bearer token is needed" });
    expect(service.log.refusals).toEqual([
      {
        request_id: expect.any(String),
        path: "/access/v1/check",
        status: 401,
        message: "a bearer token is needed",
        peer: "127.0.0.1",
      },
    ]);
    await service.close();
  });
});

describe("listed tokens", () => {
  const token = "a listed token, without blanks".replaceAll(" ", "_").padEnd(40, "é");
  const wire = Buffer.from(token).toString("latin1");
  const tokenSha256 = createHash("sha256").update(token).digest("hex");

  it("are accepted as text and as SHA-256, beside the token of the data server", async () => {
    for (const tokens of [
      [{ name: "a", token, scopes: [] }],
      [{ name: "a", tokenSha256, scopes: [] }],
      [{ name: "a", tokenSha256: tokenSha256.toUpperCase(), scopes: [] }],
    ]) {
      const verifier = new BearerVerifier({ apiToken: API_TOKEN, tokens });
      expect(await accepts(verifier, `Bearer ${wire}`)).toBe(true);
      expect(await accepts(verifier, `Bearer ${API_TOKEN}`)).toBe(true);
      expect(await accepts(verifier, `Bearer ${tokenSha256}`)).toBe(false);
      expect(await accepts(verifier, `Bearer ${wire}x`)).toBe(false);
    }
  });

  it.each([
    ["a short token", { name: "a", token: "x".repeat(31), scopes: [] }],
    ["no token", { name: "a", scopes: [] }],
    ["both forms", { name: "a", token, tokenSha256, scopes: [] }],
    ["a digest of another length", { name: "a", tokenSha256: tokenSha256.slice(1), scopes: [] }],
  ])("with %s are a mistake", (_title, listed) => {
    expect(() => new BearerVerifier({ tokens: [listed] })).toThrow(/^token a: /);
  });

  it("can be replaced while the service runs; faulty ones leave the old in force", async () => {
    const service = await startService();
    const status = async (presented: string) =>
      (await post({ ...service, token: presented }, "/access/v1/check", CHECK)).status;
    expect([await status(API_TOKEN), await status(tokenWith(["decide"]))]).toEqual([200, 401]);
    expect(() =>
      service.listener.replaceTokens({ tokens: [{ name: "x", token: "short", scopes: [] }] }),
    ).toThrow();
    expect(await status(API_TOKEN)).toBe(200);
    service.listener.replaceTokens({
      tokens: [{ name: "x", token: tokenWith(["decide"]), scopes: ["decide"] }],
    });
    expect([await status(API_TOKEN), await status(tokenWith(["decide"]))]).toEqual([401, 200]);
    await service.close();
  });
});
