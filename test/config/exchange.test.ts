import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { describe, expect, it } from "vitest";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { shownValue } from "../../src/config/redact.ts";
import { CONFIG_ITEMS } from "../../src/config/table.ts";
import { KEY, problemsOf } from "./config-folder.ts";

const TOKEN = "0123456789abcdef-a-token-of-this-test";
const BASE = {
  "database.type": "mem",
  "auth.encrypt.secret_key": KEY,
  "authorizer.user_listen_address": "127.0.0.1:0",
  "gateways.s3.domain_name": "s3.example.com",
};
const PAIR = {
  "authorizer.exchange.access_key_id": "AKIAJTHEONEKEYTHEONQ",
  "authorizer.exchange.secret_access_key": "the secret of the one key",
};
const ADDRESS = "authorizer.exchange.streaming_address";
const UPSTREAM = "authorizer.exchange.upstream";
const WHOLE = {
  ...PAIR,
  "authorizer.forward_auth.proxy": "nginx",
  "authorizer.forward_auth.proxy_token": TOKEN,
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

describe("what an exchange requires (spec/exchange §2)", () => {
  it("is nothing more than key, proxy and proxy token", () => {
    expect(problems(WHOLE)).toEqual([]);
    expect(warnings(WHOLE)).toEqual([]);
  });

  it.each<[string, ConfigObject, RegExp]>([
    [
      "the secret",
      { "authorizer.exchange.secret_access_key": undefined as never },
      /secret_access_key: required/,
    ],
    ["the id", { "authorizer.exchange.access_key_id": undefined as never }, /access_key_id: required/],
    ["one secret", { "authorizer.exchange.secret_access_key_file": "/run/secret" }, /_file: is given, and/],
    ["a secret that is not empty", { "authorizer.exchange.secret_access_key": "" }, /secret_access_key: /],
    [
      "an id that has one reading",
      { "authorizer.exchange.access_key_id": "a:b/c" },
      /access_key_id: expected 3 to 128/,
    ],
    [
      "the proxy token",
      { "authorizer.forward_auth.proxy_token": undefined as never },
      /proxy_token: required/,
    ],
    [
      "a proxy token that cannot be guessed",
      { "authorizer.forward_auth.proxy_token": "short" },
      /at least 32/,
    ],
    [
      "nginx for rewritten targets",
      { "authorizer.exchange.presigned": "rewrite", "authorizer.forward_auth.proxy": "caddy" },
      /presigned: rewrite is for nginx/,
    ],
  ])("%s", (_what, change, expected) => {
    const changed = Object.fromEntries(
      Object.entries({ ...WHOLE, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(problems(changed).join("\n")).toMatch(expected);
  });

  it.each<[string, ConfigObject, RegExp]>([
    ["an upstream", { [ADDRESS]: "127.0.0.1:8004" }, /upstream: required/],
    ["an address", { [UPSTREAM]: "http://127.0.0.1:8000" }, /streaming_address: required/],
    ["an address that is free", { [ADDRESS]: "127.0.0.1:8001", [UPSTREAM]: "http://a" }, /address of .*too/],
    ["a safe network", { [ADDRESS]: "0.0.0.0:8004", [UPSTREAM]: "http://a" }, /leaves loopback without TLS/],
    [
      "an upstream without a path",
      { [ADDRESS]: "127.0.0.1:8004", [UPSTREAM]: "http://a/b" },
      /nothing behind/,
    ],
    [
      "an upstream without a user",
      { [ADDRESS]: "127.0.0.1:8004", [UPSTREAM]: "http://a:b@c" },
      /nothing behind/,
    ],
    ["a key of metadata", { "authorizer.exchange.name_in_metadata": "a b" }, /1 to 64/],
  ])("for streaming: %s", (_what, change, expected) => {
    expect(problems({ ...WHOLE, ...change }).join("\n")).toMatch(expected);
  });

  it("for streaming is also the key", () => {
    const streaming = { [ADDRESS]: "127.0.0.1:8004", [UPSTREAM]: "http://127.0.0.1:8000" };
    expect(problems({ ...WHOLE, ...streaming })).toEqual([]);
    expect(problems({ ...streaming, "authorizer.forward_auth.proxy": "nginx" }).join()).toMatch(
      /access_key_id: required/,
    );
  });

  it("names what does not act", () => {
    expect(warnings({ "authorizer.exchange.region": "eu-west-1" }).join()).toContain("has no effect");
    expect(warnings({ ...WHOLE, "authorizer.forward_auth.proxy": "off" }).join()).toContain("proxy is off");
    expect(warnings({ ...WHOLE, "gateways.s3.domain_name": [] }).join()).toContain("signatures alone");
  });

  it("shows the secret nowhere", () => {
    const { values } = configFromObject(WHOLE, BASE);
    const shown = CONFIG_ITEMS.map((item) => shownValue(item, values[item.name]));
    expect(JSON.stringify(shown)).not.toContain(PAIR["authorizer.exchange.secret_access_key"]);
    const faults = problems({
      ...WHOLE,
      "authorizer.exchange.presigned": "rewrite",
      "authorizer.forward_auth.proxy": "caddy",
    });
    expect(faults.join()).not.toContain(PAIR["authorizer.exchange.secret_access_key"]);
  });
});
