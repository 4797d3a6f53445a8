import { describe, expect, it } from "vitest";
import { configFromObject } from "../../src/config/load.ts";
import { shownValue } from "../../src/config/redact.ts";
import { CONFIG_ITEMS } from "../../src/config/table.ts";
import { problemsOfText } from "./config-folder.ts";
import { BASE, problems } from "./judged.ts";

describe("security 1.2: authorizer.tokens", () => {
  const GOOD = { name: "shop", token: "t0".repeat(16), scopes: ["decide", "read"] };
  const tokens = (...list: unknown[]) =>
    problems({ "authorizer.tokens": list }).map((one) => one.replace("authorizer.tokens: ", ""));

  it("are a text, a file or a digest", () => {
    const { values } = configFromObject(
      {
        "authorizer.tokens": [
          GOOD,
          { name: "b", token_file: "b.token", scopes: "metrics" },
          { name: "c", token_sha256: "AB".repeat(32), scopes: ["search", "secrets", "write"] },
        ],
      },
      BASE,
      { cwd: "/srv" },
    );
    expect(values["authorizer.tokens"]).toEqual([
      GOOD,
      { name: "b", token_file: "/srv/b.token", scopes: ["metrics"] },
      { name: "c", token_sha256: "ab".repeat(32), scopes: ["search", "secrets", "write"] },
    ]);
  });

  it("have exactly one of the three forms", () => {
    expect(tokens({ name: "a", scopes: ["read"] })).toEqual([
      "expected exactly one of token, token_file, token_sha256; 0 are set",
    ]);
    expect(tokens({ ...GOOD, token_file: "x" })).toEqual([expect.stringContaining("2 are set")]);
    expect(tokens({ ...GOOD, token: "<API_TOKEN>" })).toEqual([expect.stringContaining("0 are set")]);
  });

  it("have at least 32 characters that a header can carry", () => {
    expect(tokens({ ...GOOD, token: "t0".repeat(15) })).toEqual(["expected at least 32 characters"]);
    expect(tokens({ ...GOOD, token: `t 0${"x".repeat(32)}` })).toEqual([
      expect.stringContaining("printable ASCII"),
    ]);
    expect(tokens({ name: "a", token_sha256: "abc", scopes: ["read"] })).toEqual([
      expect.stringContaining("64 hexadecimal"),
    ]);
  });

  it("have known scopes, at least one", () => {
    const scopes = "decide, search, read, replicate, secrets, write, metrics, scim";
    expect(tokens({ ...GOOD, scopes: ["decide", "admin"] })).toEqual([`expected one of ${scopes}`]);
    expect(tokens({ ...GOOD, scopes: [] })).toEqual([`expected a list of scopes: ${scopes}`]);
    expect(tokens({ name: "a", token: GOOD.token })).toHaveLength(1);
  });

  it("may assert groups, by patterns of their names", () => {
    const groups = (assert_groups: unknown) => {
      const token = { ...GOOD, assert_groups };
      return configFromObject({ "authorizer.tokens": [token] }, BASE).values["authorizer.tokens"][0];
    };
    expect(groups(["team-*", "Admins"])?.assert_groups).toEqual(["team-*", "Admins"]);
    expect(groups("a, b")?.assert_groups).toEqual(["a", "b"]);
    expect(groups([])?.assert_groups).toEqual([]);
    expect(tokens({ ...GOOD, assert_groups: { a: 1 } })).toEqual([
      "expected a list of patterns of group names",
    ]);
    expect(tokens({ ...GOOD, assert_groups: ["a", "", ["b"]] })).toEqual([
      "expected a pattern of group names",
      "expected a pattern of group names",
    ]);
  });

  it("have names and secrets of their own", () => {
    expect(tokens(GOOD, { ...GOOD, token: "u".repeat(32) })).toEqual(['the name "shop" is given twice']);
    expect(tokens(GOOD, { ...GOOD, name: "b" })).toEqual(['"b" has the token of "shop"']);
    expect(tokens({ ...GOOD, name: "" })).toEqual(["expected a name"]);
  });

  it("have no other fields", () => {
    expect(tokens({ ...GOOD, scope: "read" })).toEqual(['unknown field "scope" (did you mean scopes?)']);
    expect(tokens("text")).toEqual(["expected {name, token, scopes}, found text"]);
    expect(problems({ "authorizer.tokens": "nonsense" })).toHaveLength(1);
  });

  it("are reported with the line of the fault", () => {
    const text =
      "authorizer:\n  tokens:\n    - name: a\n      token: short\n      scopes:\n        - decide\n        - nope\n    - {}\n";
    expect(problemsOfText(text).map((one) => one.slice(0, 2))).toEqual(["4:", "7:", "8:", "8:", "8:"]);
  });
});

describe("security 7: authorizer.oidc.issuers", () => {
  const GOOD = { name: "corp", issuer: "https://id.example.com", audience: "authorizer" };
  const issuers = (...list: unknown[]) =>
    problems({ "authorizer.oidc.issuers": list }).map((one) => one.replace("authorizer.oidc.issuers: ", ""));

  it("have defaults that assert nothing", () => {
    const { values } = configFromObject({ "authorizer.oidc.issuers": [GOOD] }, BASE);
    expect(values["authorizer.oidc.issuers"]).toEqual([
      {
        ...GOOD,
        audience: ["authorizer"],
        algorithms: ["RS256"],
        jwks_uri: undefined,
        username_claim: "sub",
        groups_claim: "groups",
        assert_groups: [],
        directory_users: false,
        required_claims: new Map(),
        clock_tolerance: 30_000,
        sign_in: false,
        title: "corp",
        client_id: undefined,
        client_secret: undefined,
        client_secret_file: undefined,
        scopes: ["openid", "profile", "email"],
        create_users: false,
        end_session: false,
        external_id_claim: "sub",
        bare_external_id: false,
      },
    ]);
  });

  it("let people sign in with what that needs (spec/sign-in §1)", () => {
    const signIn = { name: "corp", issuer: GOOD.issuer, sign_in: true, client_id: "us" };
    const origins = { "authorizer.sign_in.origins": ["https://authz.example.com"] };
    const found = (list: unknown[], more: Record<string, unknown> = origins) =>
      problems({ "authorizer.oidc.issuers": list, ...more });
    expect(found([signIn])).toEqual([]);
    expect(found([{ ...signIn, client_id: undefined }])).toEqual([
      expect.stringContaining("client_id: required"),
    ]);
    expect(found([{ ...signIn, audience: ["api", "us"] }])).toEqual([
      expect.stringContaining("an ID token would count as an access token"),
    ]);
    expect(found([{ ...signIn, name: "a:b" }])).toEqual([expect.stringContaining("must not have a colon")]);
    expect(found([{ ...signIn, scopes: ["email"] }])).toEqual([
      expect.stringContaining("openid must be one"),
    ]);
    expect(found([{ ...signIn, client_secret: "x", client_secret_file: "/y" }])).toEqual([
      expect.stringContaining("not both"),
    ]);
    const bare = { ...signIn, bare_external_id: true };
    expect(found([bare, { ...bare, name: "b", issuer: "https://b.example.com" }])).toEqual([
      expect.stringContaining("at most one issuer"),
    ]);
    expect(found([signIn], {})).toEqual([expect.stringContaining("authorizer.sign_in.origins: required")]);
    for (const origin of [
      "http://authz.example.com",
      "https://authz.example.com/",
      "authz.example.com",
      "*",
    ]) {
      expect(found([signIn], { "authorizer.sign_in.origins": [origin] }), origin).toHaveLength(1);
    }
  });

  it("never show the secret of a client", () => {
    const secret = "a-secret-of-a-client";
    const given = { ...GOOD, client_secret: secret };
    const { values } = configFromObject({ "authorizer.oidc.issuers": [given] }, BASE);
    const item = CONFIG_ITEMS.find(({ name }) => name === "authorizer.oidc.issuers");
    const shown = JSON.stringify(item && shownValue(item, values["authorizer.oidc.issuers"]));
    expect(shown).toContain("<redacted>");
    expect(shown).not.toContain(secret);
  });

  it("have a name, an issuer and an audience", () => {
    const required = ["name: required", "issuer: required", "audience: required"];
    expect(issuers({})).toEqual(required);
    expect(issuers({ name: null, issuer: null, audience: null })).toEqual(required);
    expect(issuers(GOOD, { ...GOOD, name: "b" })).toEqual(["two issuers have the same issuer"]);
    expect(issuers(GOOD, { ...GOOD, issuer: "https://b.example.com" })).toEqual([
      "two issuers have the same name",
    ]);
  });

  it.each<[string, object, string]>([
    ["http", { issuer: "http://id.example.com" }, "issuer: expected an https URL"],
    ["a query", { jwks_uri: "https://id.example.com/keys?x=1" }, "jwks_uri: expected an https URL"],
    ["a symmetric algorithm", { algorithms: ["HS256"] }, "algorithms: expected some of RS256"],
    ["no algorithm of all", { algorithms: ["none"] }, "algorithms: expected some of RS256"],
    ["an empty list of algorithms", { algorithms: [] }, "algorithms: expected some of RS256"],
    ["a long tolerance", { clock_tolerance: "1h" }, "clock_tolerance: expected a duration of at most 5m"],
    ["a flag that is none", { directory_users: "perhaps" }, "directory_users: expected true or false"],
    ["an unknown field", { jwks_url: "x" }, 'jwks_url: unknown field "jwks_url" (did you mean jwks_uri?)'],
    ["no text", { username_claim: ["sub"] }, "username_claim: expected a text"],
    ["required claims without any", { required_claims: null }, "required_claims: expected names of claims"],
    [
      "people without a client",
      { sign_in: true, audience: undefined, client_id: null },
      "client_id: required",
    ],
  ])("are refused with %s", (_, more, message) => {
    expect(issuers({ ...GOOD, ...more })).toEqual([expect.stringContaining(message)]);
  });
});
