import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ConfigObject } from "../../src/config/load.ts";
import { CONFIG_ITEMS } from "../../src/config/table.ts";
import { warnings } from "./judged.ts";

/** Each item that acts only with another, a value for it, what makes it act, and the words of the warning. */
const IDLE: readonly (readonly [
  name: string,
  value: ConfigObject[string],
  acts: ConfigObject,
  why: string,
])[] = [
  [
    "authorizer.replication.poll_interval",
    "1s",
    { "database.type": "dynamodb" },
    "database that nodes share",
  ],
  ["authorizer.replication.path", "copy", { "database.type": "dynamodb" }, "database that nodes share"],
  ["authorizer.history.revocations", "revoked", { "database.type": "local" }, "database.type is not local"],
  [
    "authorizer.tls.cert_file",
    "c",
    { "authorizer.tls.enabled": true, "authorizer.tls.key_file": "k" },
    "TLS",
  ],
  ["tls.key_file", "k", { "tls.enabled": true, "tls.cert_file": "c" }, "TLS"],
  ["authorizer.datasets_mode", "sync", { "authorizer.datasets": ["d.yaml"] }, "names no file"],
  [
    "authorizer.decision_log.compress",
    false,
    { "authorizer.decision_log.include": "all" },
    "include is none",
  ],
  [
    "authorizer.decision_log.mask",
    ["SourceIp"],
    { "authorizer.decision_log.include": "0.5" },
    "include is none",
  ],
  ["authorizer.decision_log.mask", ["/action"], { "authorizer.shadow.candidate": "c.yaml" }, "traces alone"],
  ["authorizer.audit.keep", "1h", { "authorizer.audit.directory": "audit" }, "directory is not set"],
  ["authorizer.audit.sinks", ["https://sink.example"], { "authorizer.audit.directory": "a" }, "directory"],
  ["authorizer.shadow.share", 0.5, { "authorizer.shadow.candidate": "c.yaml" }, "candidate is not set"],
  [
    "authorizer.forward_auth.preflight",
    "allow",
    { "authorizer.forward_auth.proxy": "nginx" },
    "proxy is off",
  ],
  [
    "authorizer.forward_auth.body",
    "deny",
    { "authorizer.ext_authz.listen_address": "[::1]:1" },
    "proxy is off",
  ],
  ["logging.files_keep", 3, { "logging.output": ["service.log"] }, "names no file"],
  ["email.smtp_port", 25, { "email.smtp_host": "mail.example" }, "no mail is sent"],
];

describe("items that act only with others", () => {
  it.each(IDLE)("%s alone gives a warning", (name, value, acts, why) => {
    expect(warnings({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: has no effect: .*${why}`)),
    ]);
    const together = warnings({ [name]: value, ...acts }).filter((text) => text.includes("has no effect"));
    expect(together).toEqual([]);
  });

  it("are named all at once", () => {
    const cache = { enabled: false, size: 10, ttl: "1s", jitter: "1s" };
    expect(warnings({ auth: { cache }, "email.burst": 3 }).map((text) => text.split(":")[0])).toEqual([
      "auth.cache.size",
      "auth.cache.ttl",
      "auth.cache.jitter",
      "email.burst",
    ]);
  });
});

/** Values of the types of the reference. */
const SIGN_IN_VALUES: readonly (readonly [string, string])[] = [
  ["bool", "true"],
  ["true", "true"],
  ["duration", "5s"],
  ["map", "a=b"],
];

describe("items that this version does not act on", () => {
  const idle = CONFIG_ITEMS.filter(({ acts }) => acts.startsWith("no: "));

  it("give a warning where they are set, with the reason", () => {
    expect(warnings({ "security.audit_check_interval": "1h" })).toEqual([
      "security.audit_check_interval: has no effect: this version has no security audit check",
    ]);
    const set = idle.filter(({ name }) => !/^database\.(?:postgres|dynamodb|cosmosdb)\./.test(name));
    for (const { name, default: value } of set) {
      expect(warnings({ "database.type": "local", [name]: value }), name).toEqual([
        expect.stringContaining(`${name}: has no effect`),
      ]);
    }
  });

  it("are named where they let people sign in at the data server alone, each of the reference", () => {
    const reference = JSON.parse(readFileSync("fixtures/config/reference-items.json", "utf8")) as {
      readonly name: string;
      readonly default: unknown;
      readonly type: string;
    }[];
    const own = new Set<string>(CONFIG_ITEMS.map(({ name }) => name));
    const signIn = reference.filter(
      ({ name }) =>
        /^auth\.(authentication_api|remote_authenticator|oidc|cookie_auth_verification)\./.test(name) &&
        !own.has(name),
    );
    expect(signIn).toHaveLength(5);
    for (const { name, type } of signIn) {
      const value = SIGN_IN_VALUES.find(([kind]) => type.includes(kind))?.[1] ?? "text";
      expect(warnings({ [name]: value }), name).toEqual([
        `${name}: has no effect: it is for users that the data server makes of session cookies; forward-auth makes none, and changes none, of a cookie`,
      ]);
    }
    expect(warnings({ "auth.remote_authenticator.default_user_group": "Crew" })).toEqual(warnings({}));
  });

  it("give none by their defaults, nor where another database.type is chosen", () => {
    expect(warnings({})).toEqual([]);
    for (const { name, default: value } of idle.filter((item) => item.name.startsWith("database.p"))) {
      expect(warnings({ [name]: value ?? "x" }), name).toEqual([]);
    }
  });
});
