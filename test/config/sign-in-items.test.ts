/** Items of signing in: what is refused, and what is set and would do nothing. */

import { readFileSync } from "node:fs";
import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { describe, expect, it } from "vitest";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { shownValue } from "../../src/config/redact.ts";
import { findItem } from "../../src/config/table.ts";
import { KEY, problemsOf } from "./config-folder.ts";

const BASE = { "database.type": "mem", "auth.encrypt.secret_key": KEY };
const ISSUER = { name: "cluster", issuer: "https://id.example.com", audience: "authorizer" };
const ENTRY = { issuer: "cluster", claims: { sub: "system:serviceaccount:etl:nightly" }, user: "nightly" };

const load = (overrides: ConfigObject) => configFromObject(overrides, BASE);
const warnings = (overrides: ConfigObject, about: string) =>
  load(overrides)
    .warnings.map(formatProblem)
    .filter((text) => text.startsWith(about));
const sts = (users: unknown, more: ConfigObject = {}): ConfigObject =>
  ({
    "authorizer.oidc.issuers": [ISSUER],
    "authorizer.sts.enabled": true,
    "authorizer.sts.users": users,
    ...more,
  }) as ConfigObject;

const SIGN_IN_ITEM = /^auth\.(authentication_api|remote_authenticator|oidc|cookie_auth_verification)\./;

describe("the items of the data server by which people sign in", () => {
  it("are named on the page of the configuration, each as one that acts, or about which is warned", () => {
    const reference = JSON.parse(readFileSync("fixtures/config/reference-items.json", "utf8")) as {
      readonly name: string;
    }[];
    const names = reference.map(({ name }) => name).filter((name) => SIGN_IN_ITEM.test(name));
    const page = readFileSync("docs/configuration.md", "utf8");
    const [own = "", dataServers = ""] = page.split("## Items that only the data server reads");
    const acting = names.filter((name) => own.includes(`| \`${name}\` |`));
    expect([names.length, acting.length]).toEqual([18, 13]);
    for (const name of names.filter((one) => !acting.includes(one))) {
      expect(dataServers).toContain(`\`${name}\``);
      expect(name.startsWith("auth.cookie_auth_verification.")).toBe(true);
    }
    expect(dataServers).toContain("it warns about each `auth.cookie_auth_verification.…` that is set");
    expect(own).not.toMatch(/`auth\.(?:oidc|remote_authenticator)\.[^|]*\|[^|]*\|[^|]*Not acted on/);
  });
});

describe("authorizer.sts.users", () => {
  it("names users by an issuer and claims, also in a variable", () => {
    const wanted = [{ ...ENTRY, claims: new Map(Object.entries(ENTRY.claims)) }];
    expect(load(sts([ENTRY])).values["authorizer.sts.users"]).toEqual(wanted);
    expect(load(sts(JSON.stringify([ENTRY]))).values["authorizer.sts.users"]).toEqual(wanted);
    expect(shownValue(findItem("authorizer.sts.users")!, wanted)).toEqual([ENTRY]);
  });

  it.each<[string, unknown, string]>([
    ["no list", { issuer: "cluster" }, "expected a list of {issuer, claims, user}"],
    ["a text as entry", ["x"], "expected {issuer, claims, user}"],
    ["nothing in an entry", [{}], "issuer: required"],
    [
      "no claim, which every token of the issuer would have",
      [{ ...ENTRY, claims: {} }],
      "claims: expected at least one",
    ],
    ["a claim that is a list", [{ ...ENTRY, claims: { sub: ["a"] } }], "claims: expected at least one"],
    ["an empty claim", [{ ...ENTRY, claims: { sub: "" } }], "claims: expected at least one"],
    ["a pattern as user", [{ ...ENTRY, user: "*" }], "user: "],
    ["a field that nobody knows", [{ ...ENTRY, users: "x" }], "users: unknown field"],
    ["an issuer that is not configured", [{ ...ENTRY, issuer: "other" }], 'no issuer named "other"'],
  ])("is refused with %s", (_, users, message) => {
    expect(problemsOf(() => load(sts(users))).join("\n")).toContain(message);
  });

  it("warns where nobody can get a key, and where it does nothing", () => {
    const off = sts([ENTRY], { "authorizer.sts.enabled": false });
    expect(warnings(off, "authorizer.sts")).toEqual([
      expect.stringContaining("authorizer.sts.enabled is false"),
    ]);
    expect(warnings(sts([]), "authorizer.sts")).toEqual([expect.stringContaining("gives nobody a key")]);
    const named = { "authorizer.oidc.issuers": [{ ...ISSUER, directory_users: true }] } as ConfigObject;
    expect(warnings(sts([], named), "authorizer.sts")).toEqual([]);
    expect(warnings(sts([ENTRY]), "authorizer.sts")).toEqual([]);
  });
});

describe("authorizer.sign_in.order", () => {
  const signing = (name: string) => ({
    ...ISSUER,
    issuer: `https://${name.replace("_", "-")}.example.com`,
    name,
    sign_in: true,
    client_id: "c",
  });
  const ordered = (order: readonly string[], ...names: string[]): ConfigObject =>
    ({
      "authorizer.oidc.issuers": names.map((name) => signing(name)),
      "authorizer.sign_in.origins": ["https://authz.example.com"],
      "authorizer.sign_in.order": order,
    }) as ConfigObject;

  it("names issuers, password and access_key", () => {
    const order = ["password", "b", "access_key"];
    expect(load(ordered(order, "a", "b")).values["authorizer.sign_in.order"]).toEqual(order);
  });

  it.each([
    ["a way that is not there", ordered(["c"], "a"), "no issuer with sign_in, password or access_key: c"],
    ["a way that comes twice", ordered(["a", "a"], "a"), "names a way twice"],
    ["an issuer that has the name of another way", ordered(["password"], "password"), "which one is meant"],
    ["the same where no order is given", ordered([], "access_key"), "which one is meant"],
  ])("refuses %s", (_, overrides, message) => {
    expect(problemsOf(() => load(overrides)).join("\n")).toContain(message);
  });
});

describe("authorizer.aws_iam and authorizer.authentication_api", () => {
  it("need the name of the server that identities were signed for", () => {
    const enabled = { "authorizer.aws_iam.enabled": true };
    expect(problemsOf(() => load(enabled)).join("\n")).toContain("authorizer.aws_iam.server_id: required");
    expect(
      warnings({ ...enabled, "authorizer.aws_iam.server_id": "a.example.com" }, "authorizer.aws_iam"),
    ).toEqual([]);
  });

  it.each<[ConfigObject, string]>([
    [{ "authorizer.aws_iam.max_age": "1m" }, "authorizer.aws_iam.enabled is false"],
    [{ "authorizer.aws_iam.server_id": "a" }, "authorizer.aws_iam.enabled is false"],
    [
      { "authorizer.authentication_api.trusted_servers": ["192.0.2.1"] },
      "authorizer.authentication_api.enabled is false",
    ],
    [{ "authorizer.authentication_api.enabled": true }, "answers nobody"],
  ])("%j warns", (given, message) => {
    expect(warnings(given, "authorizer.a")).toEqual([expect.stringContaining(message)]);
  });

  it("do not warn where they are said to be off", () => {
    expect(warnings({ "authorizer.aws_iam.enabled": false }, "authorizer.a")).toEqual([]);
  });

  it("are refused with peers that are none, and ages that are too long", () => {
    for (const wrong of [
      { "authorizer.authentication_api.trusted_servers": ["data.example.com"] },
      { "authorizer.aws_iam.max_age": "2h" },
      { "authorizer.aws_iam.max_age": "0s" },
    ])
      expect(
        problemsOf(() => load(wrong as ConfigObject)),
        JSON.stringify(wrong),
      ).toHaveLength(1);
  });
});

describe("the remote authenticator", () => {
  it("shares its name, which stands before ids of people, with no issuer", () => {
    const items = {
      "auth.remote_authenticator.enabled": true,
      "auth.remote_authenticator.endpoint": "https://remote.example.com/auth",
      "authorizer.oidc.issuers": [{ ...ISSUER, name: "remote" }],
    } as ConfigObject;
    expect(problemsOf(() => load(items)).join("\n")).toContain("no issuer may have the name remote");
    expect(() => load({ ...items, "authorizer.oidc.issuers": [ISSUER] } as ConfigObject)).not.toThrow();
  });
});
