/** Providers whose clock is another one than ours (`clock_tolerance` of `authorizer.oidc.issuers`). */

import type { JWTPayload } from "jose";
import { expect, it } from "vitest";
import { Provider } from "../../src/sign-in/provider.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { newKey, TestIssuer } from "../identity/oidc/issuer.ts";

const issuer = await TestIssuer.start(await newKey("first"));
await closedAfterAll(Promise.resolve({ close: () => issuer.stop() }));

/** Returns the user of a sign-in, or the reason of its refusal, whose ID token has these times, by a tolerance in milliseconds. */
async function outcome(times: JWTPayload, clockTolerance: number): Promise<unknown> {
  const token = await issuer.token({ aud: "client", nonce: "n", ...times });
  const metadata = {
    issuer: issuer.url,
    jwks_uri: `${issuer.url}/keys`,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    response_types_supported: ["code"],
  };
  const keys = { keys: issuer.keys.map(({ publicJwk }) => publicJwk) };
  const tokens = { access_token: "a", token_type: "Bearer", id_token: token };
  issuer.answer = (path) => {
    const body = path === "/token" ? tokens : path === "/keys" ? keys : metadata;
    return { status: 200, body: JSON.stringify(body) };
  };
  const provider = new Provider({
    issuer: {
      name: "corp",
      issuer: issuer.url,
      audience: ["client"],
      algorithms: ["RS256"],
      jwksUri: undefined,
      usernameClaim: "sub",
      groupsClaim: "groups",
      assertGroups: [],
      directoryUsers: false,
      requiredClaims: new Map(),
      clockTolerance,
    },
    way: { name: "corp", title: "Corp" },
    clientId: "client",
    clientSecret: "secret",
    scopes: ["openid"],
    endSession: false,
  });
  const state = {
    id: "s",
    nonce: "n",
    verifier: "v".repeat(43),
    issuer: "corp",
    origin: issuer.url,
    next: "/",
  };
  return provider.claims("code=c&state=s", state).then(
    ({ sub }) => sub,
    ({ reason }) => reason,
  );
}

const now = () => Math.floor(Date.now() / 1_000);

it.each<[string, () => JWTPayload, number, string]>([
  ["ahead by less than the tolerance", () => ({ nbf: now() + 100 }), 120_000, "zoe"],
  ["ahead by more", () => ({ nbf: now() + 200 }), 120_000, "invalid"],
  ["behind by less than the tolerance", () => ({ exp: now() - 100 }), 120_000, "zoe"],
  ["behind by more", () => ({ exp: now() - 200 }), 120_000, "invalid"],
  ["behind by a little, without tolerance", () => ({ exp: now() - 10 }), 0, "invalid"],
])("a provider that is %s", async (_, times, tolerance, expected) => {
  expect(await outcome(times(), tolerance)).toBe(expected);
});
