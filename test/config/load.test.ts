import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { homeOf, readEnvironment } from "@svc-authorizer/commands/environment.ts";
import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { describe, expect, expectTypeOf, it } from "vitest";
import { DATA_SERVER_ITEMS } from "../../src/config/data-server-items.ts";
import type { Rate } from "../../src/config/item.ts";
import { configFromObject, loadConfig } from "../../src/config/load.ts";
import { type ConfigValues, effectiveValue, variableOf } from "../../src/config/table.ts";
import {
  COMPLETE,
  ConfigFolder,
  errorOf,
  KEY,
  loadText,
  problemsOf,
  problemsOfText,
} from "./config-folder.ts";

const load = (env: Record<string, string>, text = "") => loadText(text, { env: { ...COMPLETE, ...env } });

describe("precedence", () => {
  const ttl = (value: string) => ({ item: "auth.cache.ttl", value, flag: "--set" });

  it("is flag, variable, file, given default, default", () => {
    const folder = new ConfigFolder({ "cwd/config.yaml": "\nauth.cache.ttl: 3s\n" });
    const defaults = { auth: { cache: { ttl: "2s" } } };
    const steps = [
      folder.load({ env: COMPLETE, configFile: false }),
      folder.load({ env: COMPLETE, configFile: false, defaults }),
      folder.load({ env: COMPLETE, defaults }),
      folder.load({ env: { ...COMPLETE, SVC_AUTH_CACHE_TTL: "4s" }, defaults }),
      folder.load({ env: { ...COMPLETE, SVC_AUTH_CACHE_TTL: "4s" }, defaults, flags: [ttl("5s")] }),
    ];
    expect(steps.map(({ values }) => values["auth.cache.ttl"])).toEqual([20_000, 2000, 3000, 4000, 5000]);
    expect(
      steps.map(({ origins }) => origins.get("auth.cache.ttl")).map((one) => [one?.kind, one?.detail]),
    ).toEqual([
      ["default", ""],
      ["default", ""],
      ["file", `${folder.at("cwd/config.yaml")}:2`],
      ["variable", "SVC_AUTH_CACHE_TTL"],
      ["flag", "--set"],
    ]);
  });

  it("falls through what is null, an empty variable or a placeholder", () => {
    const text = "auth: {cache: {ttl: 7s, size: null}}\nemail: {password: from-file}\n";
    const { values, warnings } = load(
      { SVC_AUTH_CACHE_TTL: "", SVC_EMAIL_PASSWORD: "<SECRET_ACCESS_KEY>" },
      text,
    );
    expect([values["auth.cache.ttl"], values["auth.cache.size"], values["email.password"]]).toEqual([
      7000,
      1024,
      "from-file",
    ]);
    expect(warnings.map(formatProblem)).toContain(
      "SVC_EMAIL_PASSWORD: email.password: the placeholder text counts as not set",
    );
  });

  it("reports a wrong value even where a stronger source overrides it", () => {
    const folder = new ConfigFolder({ "cwd/config.yaml": "auth.cache.ttl: soon" });
    expect(problemsOf(() => folder.load({ env: { ...COMPLETE, SVC_AUTH_CACHE_TTL: "4s" } }))).toHaveLength(1);
  });
});

describe("values", () => {
  it("have the types that the table says", () => {
    expectTypeOf<ConfigValues["auth.cache.ttl"]>().toEqualTypeOf<number>();
    expectTypeOf<ConfigValues["logging.format"]>().toEqualTypeOf<"json" | "text">();
    expectTypeOf<ConfigValues["tls.cert_file"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<ConfigValues["logging.output"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<ConfigValues["authorizer.bootstrap"]>().toEqualTypeOf<"none" | "external" | "simplified">();
    expectTypeOf<ConfigValues["authorizer.forward_auth.max_failures"]>().toEqualTypeOf<Rate>();
  });

  it("of variables are texts, numbers, booleans, durations, lists, maps and JSON", () => {
    const token = { name: "shop", token: "t".repeat(32), scopes: ["decide"] };
    const { values } = load({
      SVC_LISTEN_ADDRESS: ":9000",
      SVC_UI_ENABLED: "False",
      SVC_AUTH_CACHE_SIZE: "17",
      SVC_COMMITTED_LOCAL_CACHE_RANGE_PROPORTION: "0.25",
      SVC_AUTH_CACHE_TTL: "1h30m",
      SVC_LOGGING_LEVEL: "warn",
      SVC_LOGGING_OUTPUT: "-, =",
      SVC_AUTH_OIDC_DEFAULT_INITIAL_GROUPS: '["a,b", "c"]',
      SVC_AUTH_OIDC_VALIDATE_ID_TOKEN_CLAIMS: "a=b=c, d=",
      SVC_AUTHORIZER_LIMITS_BODY_BYTES: "2 MiB",
      SVC_AUTHORIZER_TOKENS: JSON.stringify([token]),
    });
    expect(values["listen_address"]).toBe(":9000");
    expect(values["ui.enabled"]).toBe(false);
    expect(values["auth.cache.size"]).toBe(17);
    expect(effectiveValue(values, "committed.local_cache.range_proportion")).toBe(0.25);
    expect(values["auth.cache.ttl"]).toBe(5_400_000);
    expect(values["logging.level"]).toBe("WARN");
    expect(values["logging.output"]).toEqual(["-", "="]);
    expect(effectiveValue(values, "auth.oidc.default_initial_groups")).toEqual(["a,b", "c"]);
    expect(effectiveValue(values, "auth.oidc.validate_id_token_claims")).toEqual(
      new Map([
        ["a", "b=c"],
        ["d", ""],
      ]),
    );
    expect(values["authorizer.limits.body_bytes"]).toBe(2 * 1024 ** 2);
    expect(values["authorizer.tokens"]).toEqual([token]);
  });

  it("of a file may be texts of the same notation", () => {
    const { values } = loadText(
      'auth: {cache: {size: "17", enabled: "false"}}\nauthorizer.limits.batch: 025\n',
    );
    expect([
      values["auth.cache.size"],
      values["auth.cache.enabled"],
      values["authorizer.limits.batch"],
    ]).toEqual([17, false, 25]);
  });

  it("keep a number as it is written where a text is wanted", () => {
    const { values } = loadText("email: {password: 012345678901234567890, username: 1.50}\n");
    expect(values["email.password"]).toBe("012345678901234567890");
    expect(values["email.username"]).toBe("1.50");
  });

  it("that are empty count as not set where there is no default, and are empty where there is one", () => {
    const { values } = loadText(
      'actions.env.prefix: ""\nemail.sender: ""\nauth.cache.ttl: ""\nauthorizer.datasets: ""\n',
    );
    expect(effectiveValue(values, "actions.env.prefix")).toBe("");
    expect(values["email.sender"]).toBeUndefined();
    expect(values["auth.cache.ttl"]).toBe(20_000);
    expect(values["authorizer.datasets"]).toEqual([]);
  });

  it("that are paths are absolute: from the file's folder, the working folder or home", () => {
    const folder = new ConfigFolder({
      "conf/(x)/app.yaml":
        "tls: {cert_file: a/c.pem, key_file: ~/k.pem}\nlogging.output: ['-', '=', log.txt]\nauthorizer.datasets: [./d.yaml, '*.json', ~/s/*.yaml, /abs/*.yaml]\n",
    });
    const { values } = folder.load({
      configFile: folder.at("conf/(x)/app.yaml"),
      env: { ...COMPLETE, SVC_AUTHORIZER_TLS_KEY_FILE: "k.pem" },
    });
    const conf = folder.at("conf/(x)");
    expect(values["tls.cert_file"]).toBe(`${conf}/a/c.pem`);
    expect(values["tls.key_file"]).toBe(folder.at("home/k.pem"));
    expect(values["authorizer.tls.key_file"]).toBe(folder.at("cwd/k.pem"));
    expect(values["logging.output"]).toEqual(["-", "=", `${conf}/log.txt`]);
    expect(values["database.local.path"]).toBe(folder.at("home/svc/metadata"));
    expect(values["authorizer.datasets"]).toEqual([
      `${conf}/d.yaml`,
      `${conf.replace("(x)", "\\(x\\)")}/*.json`,
      `${folder.at("home")}/s/*.yaml`,
      "/abs/*.yaml",
    ]);
  });

  it("default to those of other items", () => {
    const admin = "installation: {user_name: root, access_key_id: AKIA, secret_access_key: s}\n";
    const at = (text: string) => loadText(text).values;
    expect(at("listen_address: :1\n")["authorizer.user_listen_address"]).toBe(":1");
    for (const [rbac, bootstrap] of Object.entries({
      none: "none",
      internal: "none",
      external: "external",
      simplified: "simplified",
    })) {
      expect(at(`auth.ui_config.rbac: ${rbac}\n`)["authorizer.bootstrap"]).toBe(bootstrap);
    }
    expect(at("auth.ui_config.rbac: external\nauthorizer.bootstrap: none\n")["authorizer.bootstrap"]).toBe(
      "none",
    );
    for (const mode of ["none", "external", "simplified"]) {
      const text = `${admin}authorizer.bootstrap: ${mode}\n`;
      const local = loadText(text, { env: { ...COMPLETE, SVC_DATABASE_TYPE: "local" } }).values;
      expect(local["authorizer.bootstrap_admin.username"]).toBe("root");
      expect(at(text)["authorizer.bootstrap_admin.username"]).toBeUndefined();
    }
  });
});

describe("the environment", () => {
  it("is a copy of the process's variables, and names the home folder", () => {
    const environment = readEnvironment();
    expect(environment).toEqual({ ...process.env });
    expect(environment).not.toBe(process.env);
    expect(homeOf({ HOME: "/home/x" })).toBe("/home/x");
    expect(homeOf({ HOME: "" })).toBe(homedir());
    const { values } = loadConfig({ env: { ...COMPLETE, HOME: "/home/x" }, configFile: false });
    expect(values["database.local.path"]).toBe("/home/x/svc/metadata");
  });
});

describe("items that nobody knows", () => {
  it("are errors below authorizer, with a suggestion", () => {
    expect(
      problemsOfText("authorizer:\n  limits:\n    bodybytes: 1\n  zzzzzzzzzz: 1\n  cache: {ttl: 5s}\n"),
    ).toEqual([
      "3: authorizer.limits.bodybytes: unknown item (did you mean authorizer.limits.body_bytes?)",
      "4: authorizer.zzzzzzzzzz: unknown item",
      expect.stringMatching(/^5: authorizer\.cache: unknown item/),
    ]);
  });

  it("are warnings elsewhere, once for a whole unknown section", () => {
    const { warnings } = loadText("auth:\n  chache:\n    ttl: 5s\n    size: 3\n\nlisten_adress: :1\n");
    expect(warnings.map(({ item, line, message }) => [item, line, message]).slice(0, 2)).toEqual([
      ["auth.chache", 2, "unknown item (did you mean auth.cache?)"],
      ["listen_adress", 6, "unknown item (did you mean listen_address?)"],
    ]);
  });

  it("are passed over when the data server has them, and in variables", () => {
    const { warnings } = load(
      { SVC_AUTHORIZER_NONSENSE: "1", SVC_PORT: "tcp://10.0.0.1:80" },
      "database: {redis: {password: x}, drop_tables: true}\nui.snippets: [{id: a}]\n",
    );
    expect(warnings.map((warning) => warning.item)).toEqual(["authorizer.user_listen_address"]);
  });

  it("may be named like parts of an object's prototype", () => {
    const { warnings } = loadText(
      "__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\nauth: {__proto__: 1, toString: 2}\n",
    );
    expect(warnings.map((warning) => warning.item)).toEqual(
      expect.arrayContaining(["__proto__", "constructor", "auth.__proto__", "auth.toString"]),
    );
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(problemsOfText("authorizer: {__proto__: {guards: lenient}}\n")).toEqual([
      "1: authorizer.__proto__: unknown item",
    ]);
    expect(load(Object.create({ SVC_UI_ENABLED: "false" })).values["ui.enabled"]).toBe(true);
  });

  it("are errors in flags", () => {
    const flags = [{ item: "auth.cache.tll", value: "1s", flag: "--set" }];
    expect(problemsOf(() => new ConfigFolder().load({ env: COMPLETE, flags }))).toEqual([
      "--set: auth.cache.tll: unknown item (did you mean auth.cache.ttl?)",
    ]);
  });
});

describe("problems", () => {
  it("come all at once, each with file, line, item and what is expected", () => {
    const text = `logging:
  format: xml
  files_keep: many
  output: {a: b}
auth:
  cache:
    ttl: 5 minutes
    jitter: -3s
    enabled: yes
    size: 0
database:
  cosmosdb: {throughput: 4294967296}
email:
  smtp_port: 70000
  username: true
  sender: [a]
authorizer:
  forward_auth: {max_failures: often}
  limits: {body_bytes: huge, request_timeout: 0}
  trusted_proxies: [loopback, 10.0.0.0/33, 1]
  partition: "a:b"
auth.oidc.validate_id_token_claims: nothing
`;
    expect(problemsOfText(text).toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))).toEqual([
      '2: logging.format: expected one of json, text, found "xml"',
      '3: logging.files_keep: expected a whole number, found "many"',
      "4: logging.output: expected a list of texts, found a section",
      '7: auth.cache.ttl: expected a duration such as 5m, 1h30m or 100ms, found "5 minutes"',
      '8: auth.cache.jitter: expected a duration such as 5m, 1h30m or 100ms, at least 0, found "-3s"',
      '9: auth.cache.enabled: expected true or false, found "yes"',
      '10: auth.cache.size: expected a whole number, at least 1, found "0"',
      '12: database.cosmosdb.throughput: expected a whole number, at most 2147483647, found "4294967296"',
      '14: email.smtp_port: expected a whole number, at most 65535, found "70000"',
      "15: email.username: expected text, found a boolean: put it in quotes",
      "16: email.sender: expected text, found a list",
      '18: authorizer.forward_auth.max_failures: expected a rate such as 20/m (units s, m and h), found "often"',
      '19: authorizer.limits.body_bytes: expected a size such as 1 MiB or 1048576, found "huge"',
      '19: authorizer.limits.request_timeout: expected a duration such as 5m, 1h30m or 100ms, at least 1ms, found "0"',
      '20: authorizer.trusted_proxies: expected an IP address, a CIDR block such as 10.0.0.0/8, or loopback, found "10.0.0.0/33"',
      '20: authorizer.trusted_proxies: expected an IP address, a CIDR block such as 10.0.0.0/8, or loopback, found "1"',
      '21: authorizer.partition: expected letters, digits, - and _ (at most 63), found "a:b"',
      '22: auth.oidc.validate_id_token_claims: expected a map of texts such as k=v,k=v, found "nothing"',
    ]);
  });

  it("carry a pointer, and the variable where there is no file", () => {
    const { problems } = errorOf(() =>
      load({ SVC_AUTHORIZER_TRUSTED_PROXIES: "loopback,x", SVC_AUTH_CACHE_SIZE: "1e3" }),
    );
    expect(problems.map(({ pointer, source }) => `${source} ${pointer}`).toSorted()).toEqual([
      "SVC_AUTHORIZER_TRUSTED_PROXIES /authorizer/trusted_proxies/1",
      "SVC_AUTH_CACHE_SIZE /auth/cache/size",
    ]);
  });

  it("are all in the message, without the values of secrets", () => {
    const secret = `auth.encrypt.secret_key: [${KEY}]\nauthorizer.tokens: ${KEY}\nemail.password: {a: ${KEY}}\n`;
    const error = errorOf(() => loadText(secret, { env: { SVC_DATABASE_TYPE: "mem" } }));
    expect(error.problems.map((problem) => problem.item)).toEqual(
      expect.arrayContaining(["auth.encrypt.secret_key", "authorizer.tokens", "email.password"]),
    );
    for (const problem of error.problems) expect(error.message).toContain(formatProblem(problem));
    expect(error.message).not.toContain(KEY);
    expect(error.problems).toHaveLength(3);
  });
});

describe("a configuration given in code", () => {
  const base = {
    "database.type": "mem",
    auth: { encrypt: { secret_key: KEY } },
    "authorizer.listen_address": "127.0.0.1:0",
  };

  it("is nested or dotted, over other defaults, and reads no variable", () => {
    process.env[variableOf("auth.cache.size")] = "3";
    try {
      const { values, origins } = configFromObject(
        { auth: { cache: { ttl: "5s" } }, "ui.enabled": false, "authorizer.limits.batch": 7 },
        base,
      );
      expect(values["auth.cache.ttl"]).toBe(5000);
      expect(values["auth.cache.size"]).toBe(1024);
      expect(values["ui.enabled"]).toBe(false);
      expect(values["authorizer.listen_address"]).toBe("127.0.0.1:0");
      expect(origins.get("authorizer.limits.batch")?.kind).toBe("code");
      expect(values["auth.encrypt.secret_key"]).toBe(KEY);
    } finally {
      delete process.env[variableOf("auth.cache.size")];
    }
  });

  it("is held to the same rules", () => {
    expect(
      problemsOf(() => configFromObject({ authorizer: { nope: 1 }, "auth.cache.ttl": 5 }, base)),
    ).toEqual([
      "authorizer.nope: unknown item",
      'auth.cache.ttl: expected a duration such as 5m, 1h30m or 100ms, found "5"',
    ]);
    expect(problemsOf(() => configFromObject({}))).toHaveLength(2);
    expect(configFromObject({}, {}, { requirements: "none" }).values["database.type"]).toBeUndefined();
  });
});

describe("a file shared with a data server", () => {
  it("loads with warnings alone", () => {
    const text = readFileSync(
      new URL("../../fixtures/config/shared-data-server.yaml", import.meta.url),
      "utf8",
    );
    const { values, warnings } = load({}, text);
    expect(values["database.type"]).toBe("mem");
    expect(values["auth.cache.ttl"]).toBe(90_000);
    expect(values["auth.api.token"]).toBeUndefined();
    expect(values["gateways.s3.domain_name"]).toEqual(["s3.example.com", "s3.local"]);
    expect(effectiveValue(values, "auth.oidc.default_initial_groups")).toEqual(["Developers", "Viewers"]);
    const texts = warnings.map((warning) => `${warning.item}: ${warning.message}`);
    expect(texts.filter((warning) => !warning.includes("placeholder"))).toEqual([
      "blockstore.s3.regoin: unknown item (did you mean blockstore.s3.region?)",
      "features: unknown item",
      "auth.oidc.validate_id_token_claims: has no effect: auth.ui_config.login_cookie_names does not name oidc_auth_session, and nobody signs in by authorizer.oidc.issuers",
      "auth.oidc.default_initial_groups: has no effect: no issuer of authorizer.oidc.issuers has sign_in: true",
    ]);
    const lines = text.split("\n");
    for (const { item, line } of warnings) {
      expect(lines[(line ?? 0) - 1], item).toContain(item.split(".").at(-1));
    }
    expect(DATA_SERVER_ITEMS.map(({ name }) => name)).toContain("blockstore.type");
  });
});
