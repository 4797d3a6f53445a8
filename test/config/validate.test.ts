import { readFileSync } from "node:fs";
import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { describe, expect, it } from "vitest";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { shownValue } from "../../src/config/redact.ts";
import { CONFIG_ITEMS } from "../../src/config/table.ts";
import { ConfigFolder, KEY, problemsOf, problemsOfText } from "./config-folder.ts";

const BASE = {
  "database.type": "mem",
  "auth.encrypt.secret_key": KEY,
  "authorizer.user_listen_address": "127.0.0.1:0",
};

const problems = (overrides: ConfigObject): readonly string[] => {
  try {
    configFromObject(overrides, BASE);
    return [];
  } catch {
    return problemsOf(() => configFromObject(overrides, BASE));
  }
};
const warnings = (overrides: ConfigObject) => configFromObject(overrides, BASE).warnings.map(formatProblem);

describe("what run requires", () => {
  it("is a secret key and a database type, named with the choices", () => {
    const folder = new ConfigFolder({ "cwd/config.yaml": "ui: {}\ndatabase:\n  type: ''\n" });
    const [database, key] = problemsOf(() => folder.load());
    expect(database).toBe(
      " database.type: required: one of postgres, dynamodb, cosmosdb, local, mem (or the variable SVC_DATABASE_TYPE)",
    );
    expect(key).toMatch(/^ auth\.encrypt\.secret_key: required: .*32 bytes/);
  });

  it("is not asked for when only values are looked at, nor what the data server requires", () => {
    expect(new ConfigFolder().load({ requirements: "none" }).values["database.type"]).toBeUndefined();
    expect(problems({ "auth.remote_authenticator.enabled": true })).toEqual([]);
  });

  it("counts a placeholder of the reference as not set", () => {
    for (const text of ["<SIGNING_SECRET>", "{auth_url}"]) {
      const env = { SVC_DATABASE_TYPE: "mem", SVC_AUTH_ENCRYPT_SECRET_KEY: text };
      expect(problemsOfText("", { env })).toEqual([
        expect.stringContaining("auth.encrypt.secret_key: required"),
      ]);
    }
  });

  it("is the place of a Cosmos DB container", () => {
    expect(problems({ database: { type: "cosmosdb", cosmosdb: { endpoint: "https://x" } } })).toHaveLength(2);
  });

  it.each(["tls", "authorizer.tls"])("is certificate and key of %s when enabled", (section) => {
    const missing = problems({ [`${section}.enabled`]: true });
    expect(missing.map((problem) => problem.split(":")[0])).toEqual([
      `${section}.cert_file`,
      `${section}.key_file`,
    ]);
    expect(
      problems({ [`${section}.enabled`]: true, [`${section}.cert_file`]: "c", [`${section}.key_file`]: "k" }),
    ).toEqual([]);
  });
});

describe("security 1.4: the secret key", () => {
  const weak = (key: string, allow = false) =>
    problems({ "auth.encrypt.secret_key": key, "authorizer.allow_weak_key": allow });

  it("has at least 32 bytes", () => {
    expect(weak("a1".repeat(16))).toEqual([]);
    expect(weak("é".repeat(16))).toEqual([]);
    expect(weak("a1".repeat(15))).toEqual([
      expect.stringMatching(/^auth\.encrypt\.secret_key: expected at least 32 bytes/),
    ]);
  });

  it("is no known placeholder", () => {
    expect(weak("THIS_MUST_BE_CHANGED_IN_PRODUCTION")).toEqual([expect.stringContaining("placeholder")]);
    expect(weak(`<${"put your own random text here".repeat(2)}>`)).toEqual([
      expect.stringContaining("placeholder"),
    ]);
  });

  it("may be weak when that is allowed in so many words", () => {
    expect(weak("short", true)).toEqual([]);
    expect(weak("THIS_MUST_BE_CHANGED_IN_PRODUCTION", true)).toEqual([]);
  });
});

describe("secrets of examples", () => {
  const EXAMPLES = [
    "the same 32 or more bytes on both sides",
    "a token of 32 or more characters",
    "the token of authorizer.forward_auth.proxy_token",
    "a-token-of-your-test-with-32-characters",
    "a-secret-key-of-your-test-with-32-bytes",
    "THIS_MUST_BE_CHANGED_IN_PRODUCTION",
    "$" + "{THE_TOKEN_OF_THE_SECRET_STORE_OF_MINE}",
  ];
  const settings = (text: string): Readonly<Record<string, ConfigObject>> => ({
    "auth.encrypt.secret_key": { "auth.encrypt.secret_key": text },
    "auth.api.token": { "auth.api.token": text },
    "authorizer.forward_auth.proxy_token": { "authorizer.forward_auth.proxy_token": text },
    "authorizer.tokens": { "authorizer.tokens": [{ name: "shop", token: text, scopes: ["decide"] }] },
  });

  it.each(EXAMPLES)("are refused wherever they stand: %s", (text) => {
    for (const [name, config] of Object.entries(settings(text))) {
      expect(problems(config), name).toEqual([
        expect.stringMatching(new RegExp(`^${name}.*placeholder that everybody knows.*openssl rand`)),
      ]);
      if (name === "authorizer.tokens") continue;
      expect(problems({ ...config, "authorizer.allow_weak_key": true }), name).toEqual([]);
    }
  });

  it("are none of those that somebody thought of", () => {
    for (const text of ["my-cat-has-32-paws-on-the-old-piano", "token-of-the-shop-in-the-cellar-7781"]) {
      for (const config of Object.values(settings(text))) expect(problems(config)).toEqual([]);
    }
  });
});

describe("a database that is not named", () => {
  it("gives a warning with the one that is used", () => {
    expect(warnings({ "database.type": "postgres" })).toEqual([
      expect.stringMatching(/^database\.postgres\.connection_string: is not set: .*postgres:\/\/localhost/),
    ]);
    const own = "postgres://svc@db.example:5432/svc?sslmode=verify-full";
    expect(warnings({ "database.type": "postgres", "database.postgres.connection_string": own })).toEqual([]);
  });
});

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

describe("security 1.3: listeners", () => {
  it("the service listener leaves loopback only with TLS or insecure_listen", () => {
    for (const address of ["0.0.0.0:8001", ":8001", "[::]:8001", "10.1.2.3:0", "sidecar:8001"]) {
      const listen = { "authorizer.listen_address": address };
      expect(problems(listen)).toEqual([expect.stringMatching(/^authorizer\.listen_address: .*without TLS/)]);
      expect(problems({ ...listen, "authorizer.insecure_listen": true })).toEqual([]);
      expect(
        problems({ ...listen, authorizer: { tls: { enabled: true, cert_file: "c", key_file: "k" } } }),
      ).toEqual([]);
    }
    for (const address of ["localhost:1", "127.0.0.2:1", "[::1]:1"]) {
      expect(problems({ "authorizer.listen_address": address })).toEqual([]);
    }
  });

  it("the user listener outside loopback without TLS is warned about", () => {
    const open = { "authorizer.user_listen_address": "0.0.0.0:8000" };
    expect(warnings(open)).toEqual([
      expect.stringContaining("authorizer.user_listen_address: the user listener leaves"),
    ]);
    expect(warnings({ ...open, tls: { enabled: true, cert_file: "c", key_file: "k" } })).toEqual([]);
    expect(warnings({})).toEqual([]);
  });

  it("have addresses of their own, but for port 0", () => {
    expect(problems({ "authorizer.metrics_address": "127.0.0.1:8001" })).toEqual([
      "authorizer.metrics_address: is the address of authorizer.listen_address too",
    ]);
    expect(
      problems({ "authorizer.metrics_address": "127.0.0.1:0", "authorizer.listen_address": "127.0.0.1:0" }),
    ).toEqual([]);
  });

  it("want mutual TLS only with TLS", () => {
    expect(problems({ "authorizer.tls.client_ca_file": "ca.pem" })).toEqual([
      expect.stringContaining("mutual TLS needs"),
    ]);
  });

  it("are addresses of host and port", () => {
    for (const name of ["listen_address", "authorizer.listen_address", "authorizer.metrics_address"]) {
      expect(problems({ [name]: "localhost" })).toEqual([
        expect.stringContaining(`${name}: expected host:port`),
      ]);
      expect(problems({ [name]: "" })).toHaveLength(1);
    }
  });
});

describe("security 1.5: the public URL", () => {
  it("is https, without query, fragment and credentials", () => {
    const at = (url: string) => problems({ "authorizer.public_url": url });
    expect(at("https://authorizer.example.com/base")).toEqual([]);
    for (const url of [
      "http://a.example",
      "https://a.example?x=1",
      "https://a.example/?",
      "https://a.example/#f",
      "https://u:p@a.example",
      "a.example",
      "https://",
    ]) {
      expect(at(url), url).toEqual([expect.stringContaining("expected an https URL")]);
    }
  });
});

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

describe("other rules", () => {
  it("the first administrator's keys come in pairs, with a name", () => {
    const admin = (fields: object) =>
      problems({ authorizer: { bootstrap_admin: fields } }).map((one) => one.split(":")[0]);
    expect(admin({ username: "root" })).toEqual([]);
    expect(admin({ username: "root", access_key_id: "A" })).toEqual([
      "authorizer.bootstrap_admin.secret_access_key",
    ]);
    expect(admin({ username: "root", secret_access_key: "s" })).toEqual([
      "authorizer.bootstrap_admin.access_key_id",
    ]);
    expect(admin({ access_key_id: "A", secret_access_key: "s" })).toEqual([
      "authorizer.bootstrap_admin.username",
    ]);
  });

  it("installation.* is read with database.type local, and takes a name and a key", () => {
    const admin = { user_name: "root", access_key_id: "A", secret_access_key: "s" };
    const mem = warnings({ installation: admin });
    expect(mem).toHaveLength(3);
    expect(mem[0]).toMatch(
      /^installation\.user_name: is read only with database\.type local; set authorizer/,
    );
    const local = { "database.type": "local" };
    expect(warnings({ ...local, installation: admin })).toEqual([]);
    expect(warnings({ ...local, "installation.user_name": "root" })).toEqual([
      "installation.user_name: creates no administrator without an access key id and a secret access key",
    ]);
    const named = { "authorizer.bootstrap_admin.username": "root" };
    expect(warnings(named)).toEqual([
      expect.stringMatching(/^authorizer\.bootstrap_admin\.username: creates no/),
    ]);
    expect(warnings({ ...named, "authorizer.bootstrap": "external" })).toEqual([]);
    const { values } = configFromObject({ ...local, installation: admin }, BASE);
    expect(values["authorizer.bootstrap_admin.username"]).toBe("root");
  });

  it("decisions that would be audited nowhere are warned about", () => {
    const audited = (level: string, audit: string, more = {}) =>
      warnings({
        "authorizer.audit.decisions": "denied",
        logging: { level, audit_log_level: audit },
        ...more,
      });
    const nowhere = [expect.stringMatching(/^authorizer\.audit\.decisions: audits no decision/)];
    expect(audited("INFO", "DEBUG")).toEqual(nowhere);
    expect(audited("TRACE", "NONE")).toEqual(nowhere);
    expect(audited("NONE", "ERROR")).toEqual(nowhere);
    expect(audited("NONE", "NONE")).toEqual(nowhere);
    expect(audited("INFO", "INFO")).toEqual([]);
    expect(audited("INFO", "ERROR")).toEqual([]);
    expect(audited("INFO", "DEBUG", { "authorizer.audit.output": "audit.log" })).toEqual([]);
    expect(audited("INFO", "DEBUG", { "authorizer.audit.decisions": "none" })).toEqual([]);
  });

  it("logs go somewhere", () => {
    expect(problems({ "logging.output": [] })).toEqual([
      expect.stringContaining("logging.output: expected at least one"),
    ]);
  });

  it("a short service token and an unreachable log-in duration are warned about", () => {
    expect(warnings({ "auth.api.token": "short" })).toEqual([
      expect.stringContaining("auth.api.token: is short"),
    ]);
    expect(warnings({ "auth.login_duration": "200h" })).toEqual([
      expect.stringContaining("auth.login_duration: is longer"),
    ]);
  });
});

describe("database.type", () => {
  it("is one that the build can open, where the caller says which these are", () => {
    const judged = (type: string) =>
      problemsOf(() =>
        configFromObject({ "database.type": type }, BASE, { databaseTypes: ["local", "dynamodb"] }),
      );
    expect(judged("mem")).toEqual([
      "database.type: mem is not available in this build; use local or dynamodb",
    ]);
    expect(
      configFromObject({ "database.type": "local" }, BASE, { databaseTypes: ["local"] }).warnings,
    ).toEqual([]);
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
