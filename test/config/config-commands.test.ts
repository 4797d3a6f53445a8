import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CommandStreams,
  printConfigReference,
  showConfig,
  validateConfig,
} from "../../src/cli/config-commands.ts";
import { DATABASE_TYPES } from "../../src/compose/store/backends.ts";
import { configFromObject } from "../../src/config/load.ts";
import { redactConnectionString, shownValue } from "../../src/config/redact.ts";
import { ALL_ITEMS, CONFIG_ITEMS, effectiveValue, variableOf } from "../../src/config/table.ts";
import { sized } from "../proofs/size.ts";
import { COMPLETE, ConfigFolder } from "./config-folder.ts";

/** Streams that keep what is written. */
function captured(): CommandStreams & { readonly out: () => string; readonly err: () => string } {
  const texts = { out: "", err: "" };
  return {
    stdout: { write: (text) => (texts.out += text) },
    stderr: { write: (text) => (texts.err += text) },
    out: () => texts.out,
    err: () => texts.err,
  };
}

const SECRET_ITEMS = ALL_ITEMS.filter((item) => item.secret === true && item.type === "string");

describe("config show", () => {
  it("prints every item, aligned, with its origin, as YAML that loads to the same values", () => {
    const folder = new ConfigFolder({
      "cwd/config.yaml": "auth:\n  cache: {ttl: 1m30s}\nauth.oidc.validate_id_token_claims: {a: 'b: c'}\n",
    });
    const streams = captured();
    const options = folder.options({ env: { SVC_UI_ENABLED: "false", SVC_LOGGING_OUTPUT: "-,x y.log" } });
    expect(showConfig(options, streams)).toBe(0);
    const lines = streams.out().trimEnd().split("\n");
    expect(lines).toHaveLength(ALL_ITEMS.length);
    expect(streams.out()).toMatch(/^auth\.cache\.ttl: +1m30s +# file .*config\.yaml:2$/m);
    expect(streams.out()).toMatch(/^ui\.enabled: +false +# variable SVC_UI_ENABLED$/m);
    expect(streams.out()).toMatch(
      /^authorizer\.user_listen_address: +"0\.0\.0\.0:8000" +# default: listen_address$/m,
    );

    folder.write("shown.yaml", streams.out());
    const again = folder.load({ configFile: folder.at("shown.yaml"), requirements: "none" });
    expect(again.values).toEqual(folder.load({ ...options, requirements: "none" }).values);
  });

  it("prints only what is set, and JSON, when asked", () => {
    const folder = new ConfigFolder({ "cwd/config.yaml": "ui.enabled: false\n" });
    const streams = captured();
    expect(showConfig(folder.options({ env: COMPLETE }), streams, { json: true, onlySet: true })).toBe(0);
    expect(JSON.parse(streams.out())).toEqual({
      file: folder.at("cwd/config.yaml"),
      items: {
        "ui.enabled": { value: false, origin: { kind: "file", detail: `${folder.at("cwd/config.yaml")}:1` } },
        "database.type": { value: "mem", origin: { kind: "variable", detail: "SVC_DATABASE_TYPE" } },
        "auth.encrypt.secret_key": {
          value: "<redacted>",
          origin: { kind: "variable", detail: "SVC_AUTH_ENCRYPT_SECRET_KEY" },
        },
      },
    });
  });

  it("fails on values that it cannot read", () => {
    const streams = captured();
    expect(showConfig(new ConfigFolder().options({ env: { SVC_AUTH_CACHE_TTL: "x" } }), streams)).toBe(2);
    expect(streams.out()).toBe("");
    expect(streams.err()).toContain("SVC_AUTH_CACHE_TTL: auth.cache.ttl: expected a duration");
  });

  it("never shows a secret, whatever it is", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 6, maxLength: 40 })
      .map((one) => `Zq7${one.replaceAll("\0", "")}`);
    const folder = new ConfigFolder();
    fc.assert(
      fc.property(
        fc.array(text, { minLength: SECRET_ITEMS.length, maxLength: SECRET_ITEMS.length }),
        fc.boolean(),
        (secrets, json) => {
          const env = Object.fromEntries(
            SECRET_ITEMS.map((item, index) => [variableOf(item.name), secrets[index]]),
          );
          const streams = captured();
          expect(showConfig(folder.options({ env }), streams, { json })).toBe(0);
          expect(streams.out() + streams.err()).not.toContain("Zq7");
          void validateConfig(folder.options({ env: { ...env, SVC_AUTHORIZER_GUARDS: "wrong" } }), streams);
          expect(streams.out() + streams.err()).not.toContain("Zq7");
        },
      ),
      { numRuns: 40 },
    );
  });

  it("never shows a token, a password in a connection string or in an URL", () => {
    const { values } = configFromObject(
      {
        "authorizer.tokens": [
          { name: "a", token: "Zq7".repeat(11), scopes: ["read"] },
          { name: "b", token_sha256: "abcdef12".repeat(8), scopes: ["read"] },
        ],
        "auth.api.endpoint": "https://me:Zq7@auth.example.com/x",
        "database.postgres.connection_string":
          "postgres://svc:Zq7@db:5432/svc?sslmode=require&sslpassword=Zq7",
      },
      {},
      { requirements: "none" },
    );
    const shown = JSON.stringify(
      ALL_ITEMS.map((item) => shownValue(item, effectiveValue(values, item.name))),
    );
    expect(shown).not.toMatch(/Zq7|abcdef12/);
    expect(shown).toContain("https://<redacted>@auth.example.com/x");
    expect(shown).toContain("postgres://svc:<redacted>@db:5432/svc?sslmode=require&<redacted>");
  });

  it("hides a connection string whole that it does not understand", () => {
    for (const text of [
      "host=db password=Zq7",
      "postgres:user=a password=Zq7",
      "postgres://u:Zq/7@h/d",
      "postgres://u:1/Zq7@h",
      "postgres://u:Z#Zq7@h/d",
      "postgres://u:Z?Zq7@h/d",
      "mysql://u:Zq7@h",
    ]) {
      expect(redactConnectionString(text), text).toBe("<redacted>");
    }
    expect(redactConnectionString("postgres://localhost:5432/postgres?sslmode=disable")).toBe(
      "postgres://localhost:5432/postgres?sslmode=disable",
    );
  });

  it("shows no password of any connection string", () => {
    const password = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `Zq7${text}Zq7`);
    fc.assert(
      fc.property(password, fc.constantFrom("/db", "", "/db?sslmode=disable"), (text, rest) => {
        const forms = [
          `postgres://u:${text}@h:5432${rest}`,
          `postgres://u:${encodeURIComponent(text)}@h${rest}`,
          `host=h password='${text}'`,
          `postgres:///db?user=u&password=${text}`,
        ];
        for (const form of forms) expect(redactConnectionString(form)).not.toContain("Zq7");
      }),
      { numRuns: sized(100, 500) },
    );
  });
});

describe("config validate", () => {
  it("says that a configuration is valid, with its warnings on standard error", async () => {
    const folder = new ConfigFolder({ "cwd/config.yaml": "listen_adress: :1\n" });
    const streams = captured();
    expect(await validateConfig(folder.options({ env: COMPLETE }), streams)).toBe(0);
    const file = folder.at("cwd/config.yaml");
    expect(streams.out()).toBe(`${file}: valid, 2 warnings\n`);
    expect(streams.err()).toContain(
      `warning: ${file}:1: listen_adress: unknown item (did you mean listen_address?)\n`,
    );
  });

  it("shows the credentials of no URL, also where it says that there may be none", async () => {
    const urls = [
      "https://user:s3cr3t@host.example/x",
      "otlp+https://user:s3cr3t@host.example",
      "ldaps://:s3cr3t@h",
    ];
    const texts = ALL_ITEMS.filter(({ type }) => type === "string" || type === "strings");
    expect(texts.length).toBeGreaterThan(100);
    for (const url of urls) {
      const env = Object.fromEntries(texts.map(({ name }) => [variableOf(name), url]));
      const streams = captured();
      const options = new ConfigFolder({}).options({ env });
      expect(await validateConfig(options, streams)).toBe(2);
      showConfig(options, streams);
      const shown = `${streams.out()}\n${streams.err()}`.split("\n");
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.filter((line) => line.includes("s3cr3t"))).toEqual([]);
    }
  });

  it("lists all problems and warnings, and fails", async () => {
    const folder = new ConfigFolder({
      "cwd/config.yaml": "logging: {format: xml}\nnope: 1\nauthorizer:\n  guard: strict\n",
    });
    const streams = captured();
    expect(await validateConfig(folder.options({ env: { SVC_AUTH_CACHE_SIZE: "0" } }), streams)).toBe(2);
    const file = folder.at("cwd/config.yaml");
    expect(streams.out()).toBe("");
    expect(streams.err().trimEnd().split("\n")).toEqual([
      `warning: ${file}:2: nope: unknown item`,
      `warning: ${file}: authorizer.user_listen_address: the user listener leaves loopback without TLS (tls.enabled is false)`,
      `${file}:4: authorizer.guard: unknown item (did you mean authorizer.guards?)`,
      'SVC_AUTH_CACHE_SIZE: auth.cache.size: expected a whole number, at least 1, found "0"',
      `${file}:1: logging.format: expected one of json, text, found "xml"`,
      expect.stringContaining(`${file}: database.type: required: one of ${DATABASE_TYPES.join(", ")} (`),
      expect.stringContaining(`${file}: auth.encrypt.secret_key: required`),
      "5 problems",
    ]);
  });
});

describe("config docs", () => {
  it("is what docs/configuration.md holds", () => {
    const streams = captured();
    expect(printConfigReference(streams)).toBe(0);
    const stored = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    expect(stored, "run: npm run -s svc-authorizer -- config docs > docs/configuration.md").toBe(
      streams.out(),
    );
  });

  it("names every item once, and says how its variable is named", () => {
    const streams = captured();
    printConfigReference(streams);
    const [read = "", onlyNamed = ""] = streams.out().split("## Items that only the data server reads");
    for (const { name } of CONFIG_ITEMS) expect(read.split(`| \`${name}\` |`), name).toHaveLength(2);
    expect(read.replaceAll(/\s+/g, " ")).toContain(
      `\`${variableOf("authorizer.tls.enabled")}\` for \`authorizer.tls.enabled\``,
    );
    const others = new Set(ALL_ITEMS.map(({ name }) => name));
    for (const { name } of CONFIG_ITEMS) others.delete(name);
    for (const name of others) expect(onlyNamed.split(`\`${name}\``), name).toHaveLength(2);
  });
});
