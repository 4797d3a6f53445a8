import type { IncomingMessage } from "node:http";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { BearerVerifier } from "../../src/listeners/bearer.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { SECRET_KEY } from "../directory/open-test-directory.ts";
import { HERE, openTestIdentities, outcomeOf } from "./test-identities.ts";
import { makeToken, serverClaims, serviceClaims, type TokenForm } from "./tokens.ts";

/** The verifier that accepts a kind of token. */
type Taken = "login" | "service" | "none";

let services: BearerVerifier;
const opened = await closedAfterAll(openTestIdentities());
beforeAll(async () => {
  // The verifier of service tokens reads the clock of the machine.
  opened.clock.now = Date.now() + 5_000;
  services = new BearerVerifier({ secretKey: SECRET_KEY });
});

async function takenBy(token: string): Promise<Taken[]> {
  const taken: Taken[] = [];
  if ((await outcomeOf(() => opened.identities.withLoginToken(token))) === "alice") taken.push("login");
  const headers = { authorization: `Bearer ${token}` };
  const rawHeaders = ["Authorization", headers.authorization];
  try {
    await services.verify({ headers, rawHeaders } as unknown as IncomingMessage);
    taken.push("service");
  } catch (error) {
    if (!isErrorCode(error, "unauthenticated")) throw error;
  }
  return taken;
}

/** A login token of a data server, changed. */
const login =
  (change: Record<string, unknown>, form: Partial<TokenForm> = {}) =>
  (): string =>
    makeToken({ claims: { ...serverClaims("alice", opened.clock.now), ...change }, ...form });
const service =
  (change: Record<string, unknown>, form: Partial<TokenForm> = {}) =>
  (): string =>
    makeToken({ claims: { ...serviceClaims(opened.clock.now), ...change }, ...form });
const soon = (seconds: number): number => Math.floor(opened.clock.now / 1_000) + seconds;
const ours = (change: Record<string, unknown>) => async (): Promise<string> => {
  const { userId, revision } = await opened.directory.sessions.get("alice");
  const claim = { user_id: userId, revision, ...change };
  return login({ "svc-authorizer": claim })();
};

/** The same token in a text that RFC 7515 does not allow, which a lenient decoder reads all the same. */
const REWRITTEN: readonly (readonly [string, (part: string) => string])[] = [
  ["padding", (part) => `${part}=`],
  ["full padding", (part) => part + "=".repeat((4 - (part.length % 4)) % 4 || 1)],
  [
    "bits after the last byte",
    (part) => (part.length % 4 === 0 ? `${part}A` : part.replace(/.$/, nextLetter)),
  ],
  ["a blank", (part) => `${part} `],
  ["the letters of plain Base64", (part) => `${part.replaceAll("-", "+").replaceAll("_", "/")}=`],
];
const nextLetter = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) + 1);

describe("a token has one text: with", () => {
  const tokens = [
    ["login token", login({})],
    ["service token", service({})],
  ] as const;
  const cases = REWRITTEN.flatMap(([what, change]) =>
    tokens.flatMap(([kind, make]) => [0, 1, 2].map((part) => [what, part, kind, make, change] as const)),
  );
  it.each(cases)("%s in part %i, a %s is none", async (_what, part, _kind, make, change) => {
    const parts = make().split(".");
    parts[part] = change(parts[part] as string);
    expect(await takenBy(parts.join("."))).toEqual([]);
  });
});

describe("each kind of token at each verifier", () => {
  it.each<[string, Taken, () => string | Promise<string>]>([
    ["a login token", "login", login({})],
    ["a login token without id", "login", login({ jti: undefined })],
    ["a login token with our claims", "login", ours({})],
    ["a service token", "service", service({})],
    ["a service token whose audience is a list", "service", service({ aud: ["auth-client"] })],
    ["a login token whose audience is a list", "none", login({ aud: ["login"] })],
    ["one for both", "none", login({ aud: ["login", "auth-client"] })],
    ["one for both, the other way round", "none", login({ aud: ["auth-client", "login"] })],
    ["no audience", "none", login({ aud: undefined })],
    ["an empty audience", "none", login({ aud: "" })],
    ["an empty list of audiences", "none", login({ aud: [] })],
    ["an audience in another case", "none", login({ aud: "Login" })],
    ["an audience with a blank", "none", login({ aud: "login " })],
    ["a login token for services", "service", login({ aud: "auth-client" })],
    ["no end", "none", login({ exp: undefined })],
    ["a service token without end", "none", service({ exp: undefined })],
    ["an end as a text", "none", () => login({ exp: String(soon(60)) })()],
    ["an end that is over", "none", () => login({ exp: soon(-1) })()],
    ["an end now", "none", () => login({ exp: soon(0) })()],
    ["the longest life", "login", () => login({ exp: soon(7_200) })()],
    ["too long a life", "none", () => login({ exp: soon(7_201) })()],
    ["no beginning", "none", login({ iat: undefined })],
    ["a beginning as a text", "none", () => login({ iat: String(soon(0)) })()],
    ["a beginning a bit ahead", "login", () => login({ iat: soon(30) })()],
    ["a beginning far ahead", "none", () => login({ iat: soon(120) })()],
    ["an end before the beginning", "none", () => login({ iat: soon(50), exp: soon(40) })()],
    ["not before a later time", "none", () => login({ nbf: soon(600) })()],
    ["no subject", "none", login({ sub: undefined })],
    ["an empty subject", "none", login({ sub: "" })],
    ["a subject that can be no name", "none", login({ sub: "a\u0000" })],
    ["a subject that is no text", "none", login({ sub: ["alice"] })],
    ["an unknown user", "none", login({ sub: "nobody" })],
    ["the user in another case", "none", login({ sub: "Alice" })],
    ["an id that can be none", "none", login({ jti: "" })],
    ["an id that is no text", "none", login({ jti: 5 })],
    ["an id that is endless", "none", login({ jti: "x".repeat(1_100) })],
    ["no signature", "none", login({}, { header: { alg: "none" }, digest: "none" })],
    ["no signature, said to have one", "none", login({}, { digest: "none" })],
    ["HS384", "none", login({}, { header: { alg: "HS384" }, digest: "sha384" })],
    ["HS512", "none", login({}, { header: { alg: "HS512" }, digest: "sha512" })],
    ["RS256 with our key as if it were public", "none", login({}, { header: { alg: "RS256" } })],
    ["no algorithm", "none", login({}, { header: { alg: undefined } })],
    ["another key", "none", login({}, { key: "another key of the same length, is it" })],
    ["a service token of another key", "none", service({}, { key: "another key of the same length, is it" })],
    ["an extension that must be understood", "none", login({}, { header: { crit: ["b64"], b64: true } })],
    ["an unknown such extension", "none", login({}, { header: { crit: ["x"], x: 1 } })],
    ["an empty list of such extensions", "none", login({}, { header: { crit: [] } })],
    ["our claims of another user", "none", ours({ user_id: "somebody" })],
    ["our claims without user", "none", ours({ user_id: undefined })],
    ["our claims without revision", "none", ours({ revision: undefined })],
    ["our claims of a revision that is no number", "none", ours({ revision: "9" })],
    ["our claims of a revision below 0", "none", ours({ revision: -1 })],
    ["our claims with half a revision", "none", ours({ revision: 1.5 })],
    ["our claims with the beginning of the user's sessions", "login", ours({ since: "" })],
    ["our claims with another beginning", "none", ours({ since: "another" })],
    ["our claims with a beginning that is no text", "none", ours({ since: 0 })],
    ["our claims with a key of nobody", "none", ours({ access_key_id: "AK-NOBODY" })],
    ["our claims with a key of another user", "none", ours({ access_key_id: "AK-BOB" })],
    ["our claims with a key that is no text", "none", ours({ access_key_id: 5 })],
    ["our claims that are no object", "none", login({ "svc-authorizer": "x" })],
    ["our claims that are nothing", "none", login({ "svc-authorizer": null })],
    ["no token", "none", () => "x"],
    ["an access key", "none", () => "AK-ALICE"],
    ["parts that are no JSON", "none", () => "eyJ.eyJ.x"],
    ["five parts", "none", () => `${login({})()}.x.y`],
    ["an endless token", "none", login({ more: "x".repeat(10_000) })],
    [
      "a session cookie of a data server",
      "none",
      () => "MTY5fER2LUJCQUVDXzRJQUFSQUJFQUFBSVB-Q0FBRUdjM1J5YVc1bg==",
    ],
  ])("%s: %s", async (_name, taken, make) => {
    const expected = taken === "none" ? [] : [taken];
    const token = await make();
    // The second time it may be remembered.
    expect([await takenBy(token), await takenBy(token)]).toEqual([expected, expected]);
  });

  it("our own login token is none for services", async () => {
    const alice = await opened.identities.withAccessKey("AK-ALICE", "secret of AK-ALICE", HERE);
    const { token } = await opened.identities.issueLoginToken(alice);
    expect(await takenBy(token)).toEqual(["login"]);
  });
});
