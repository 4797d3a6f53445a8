/** `config validate --online` asks identity providers (spec/sign-in §1). */

import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { providerFindings } from "../../src/compose/provider-findings.ts";
import { configFromObject } from "../../src/config/load.ts";
import { closedAfterAll } from "../closed-after-all.ts";
import { newKey, TestIssuer } from "../identity/oidc/issuer.ts";
import { BASE, hasSlapd, person, SERVICE, startSlapd } from "./slapd.ts";
import { CLIENT, startProvider } from "./test-provider.ts";

const real = await closedAfterAll(startProvider(["http://127.0.0.1:9/oidc/callback"]));
const issuer = await TestIssuer.start(await newKey("a"));
const poor = await closedAfterAll(Promise.resolve({ issuer, close: () => issuer.stop() }));
const client = { sign_in: true, client_id: CLIENT.id, client_secret: CLIENT.secret };

async function found(...issuers: readonly Record<string, unknown>[]) {
  const loaded = configFromObject(
    {
      "database.type": "mem",
      "auth.encrypt.secret_key": randomBytes(32).toString("base64url"),
      "authorizer.sign_in.origins": ["https://authz.example.com"],
      "authorizer.oidc.issuers": issuers,
    } as never,
    {},
  );
  const { problems, warnings } = await providerFindings(loaded);
  const messages = (list: typeof problems) => list.map(({ message }) => message);
  return { problems: messages(problems), warnings: messages(warnings) };
}

describe("a provider", () => {
  it("that fits has no problem", async () => {
    const fits = { ...client, name: "corp", issuer: real.issuer, username_claim: "preferred_username" };
    expect((await found(fits)).problems).toEqual([]);
  });

  it("is told what is missing in its document", async () => {
    const { url } = poor.issuer;
    poor.issuer.answer = (path) =>
      path.startsWith("/.well-known")
        ? {
            status: 200,
            body: JSON.stringify({
              issuer: `${url}/`,
              jwks_uri: `${url}/none`,
              token_endpoint: `${url}/token`,
              id_token_signing_alg_values_supported: ["ES256"],
              response_types_supported: ["id_token"],
              token_endpoint_auth_methods_supported: ["private_key_jwt"],
              scopes_supported: ["openid"],
              claims_supported: ["sub", "groups"],
            }),
          }
        : { status: 200, body: '{"keys":[]}' };
    const { problems, warnings } = await found({
      ...client,
      name: "corp",
      issuer: url,
      username_claim: "email",
    });
    const all = problems.join("\n");
    for (const text of [
      `names the issuer "${url}/": issuer must be exactly that`,
      "has no keys",
      "it has no authorization_endpoint",
      'it signs with "ES256"',
      "response type code",
      "client_secret_basic",
    ])
      expect(all).toContain(text);
    expect(problems).toHaveLength(6);
    expect(warnings.map((text) => text.replace('"corp": ', ""))).toEqual([
      "it does not say that it takes PKCE with S256, which is sent with each sign-in",
      'it does not offer the scope "profile"',
      'it does not offer the scope "email"',
      'it does not name the claim "email"',
    ]);
  });

  it("that does not answer, or not with a document, is a problem each", async () => {
    poor.issuer.answer = () => ({ status: 500, body: "" });
    const gone = { name: "gone", issuer: "http://127.0.0.1:9", audience: "a" };
    const { problems } = await found({ name: "poor", issuer: poor.issuer.url, audience: "a" }, gone);
    expect(problems).toEqual([
      expect.stringContaining("answers 500"),
      expect.stringContaining("does not answer"),
    ]);
  });
});

describe.skipIf(!hasSlapd)("an account of slapd, before anybody signs in with it", () => {
  it("is judged by an answer of the server: address, bind and base", async () => {
    const slapd = await closedAfterAll(startSlapd(person("alice", "a password")));
    const foundWith = async (more: Record<string, unknown>) => {
      const loaded = configFromObject(
        {
          "database.type": "mem",
          "auth.encrypt.secret_key": randomBytes(32).toString("base64url"),
          "authorizer.ldap.url": `ldap://127.0.0.1:${slapd.port}`,
          "authorizer.ldap.bind_dn": SERVICE.dn,
          "authorizer.ldap.bind_password": SERVICE.password,
          "authorizer.ldap.user_base_dn": `ou=people,${BASE}`,
          ...more,
        } as never,
        {},
      );
      return (await providerFindings(loaded)).problems.map(({ message }) => message);
    };
    expect(await foundWith({})).toEqual([]);
    const told = [expect.stringContaining("the LDAP server cannot be asked")];
    const wrong = await foundWith({ "authorizer.ldap.bind_password": "not the password of the service" });
    expect(wrong).toEqual(told);
    expect(wrong.join()).not.toContain("not the password");
    expect(await foundWith({ "authorizer.ldap.user_base_dn": `ou=nowhere,${BASE}` })).toEqual(told);
    expect(await foundWith({ "authorizer.ldap.url": "ldap://127.0.0.1:1" })).toEqual(told);
  });
});
