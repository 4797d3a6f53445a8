import { describe, expect, it } from "vitest";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { ConfigFolder, problemsOf, problemsOfText } from "./config-folder.ts";
import { BASE, problems, warnings } from "./judged.ts";

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
