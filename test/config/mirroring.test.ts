import { describe, expect, it } from "vitest";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { shownValue } from "../../src/config/redact.ts";
import { itemNamed } from "../../src/config/table.ts";
import { KEY } from "./config-folder.ts";

const BASE = { "auth.encrypt.secret_key": KEY, "database.type": "mem" };
const SOURCE = {
  "authorizer.mirroring.source.endpoint": "https://data.example.com",
  "authorizer.mirroring.source.access_key_id": "AKIASOURCE",
  "authorizer.mirroring.source.secret_access_key": "source-secret",
};
const WEST = {
  endpoint: "http://west.example.com:8000",
  access_key_id: "AKIAWEST",
  secret_access_key: "west-secret",
};

function problemsOf(given: ConfigObject): readonly string[] {
  try {
    configFromObject(given, BASE, { home: "/home/someone" });
    return [];
  } catch (error) {
    return (error as { problems: { item: string; message: string }[] }).problems.map(
      ({ item, message }) => `${item.replace("authorizer.mirroring.", "")}: ${message}`,
    );
  }
}

const regions = (value: unknown): readonly string[] =>
  problemsOf({ ...SOURCE, "authorizer.mirroring.regions": value });

describe("authorizer.mirroring", () => {
  it("has no region without configuration, and defaults that are durations", () => {
    const { values, warnings } = configFromObject({}, BASE);
    expect(values["authorizer.mirroring.regions"]).toBeUndefined();
    expect(values["authorizer.mirroring.scan_interval"]).toBe(60_000);
    expect(values["authorizer.mirroring.verify_interval"]).toBe(10_000);
    expect(values["authorizer.mirroring.recheck_missing"]).toBe(600_000);
    expect(warnings.filter(({ item }) => item.includes("mirroring"))).toEqual([]);
  });

  it("reads regions from a map or a JSON text, and never shows their secrets", () => {
    for (const given of [{ west: WEST }, JSON.stringify({ west: WEST })]) {
      const { values } = configFromObject({ ...SOURCE, "authorizer.mirroring.regions": given }, BASE);
      expect([...(values["authorizer.mirroring.regions"] ?? [])]).toEqual([["west", WEST]]);
      const shown = shownValue(
        itemNamed("authorizer.mirroring.regions"),
        values["authorizer.mirroring.regions"],
      );
      expect(shown).toEqual({ west: { ...WEST, secret_access_key: "<redacted>" } });
    }
  });

  it.each([
    [{ west: { ...WEST, endpoint: undefined } }, "endpoint: required"],
    [{ west: { ...WEST, endpoint: "ftp://x" } }, "endpoint: expected an http or https URL"],
    [{ west: { ...WEST, endpoint: "https://user:secret@x" } }, "endpoint: expected an http or https URL"],
    [{ west: { ...WEST, access_key_id: undefined } }, "access_key_id: required with a secret"],
    [{ west: { ...WEST, secret_access_key: undefined } }, "secret_access_key: required with access_key_id"],
    [{ west: { ...WEST, secret_access_key_file: "/x" } }, "secret_access_key is given, too"],
    [{ west: { ...WEST, secret: "x" } }, "secret: unknown field"],
    [{ West: WEST }, "expected a name of lower-case letters"],
    [{ west: "x" }, "expected {endpoint, access_key_id, …}, found text"],
    ["west", "expected a map"],
  ])("refuses %j", (value, message) => {
    expect(regions(value)).toEqual([expect.stringContaining(message)]);
    expect(regions(value).join()).not.toContain("west-secret");
  });

  it("takes servers without a key, which mirrors call as users of their own", () => {
    const { endpoint } = WEST;
    const source = { "authorizer.mirroring.source.endpoint": endpoint };
    const given = { ...source, "authorizer.mirroring.regions": { west: { endpoint } } };
    expect(problemsOf(given)).toEqual([]);
    const { values } = configFromObject(given, BASE);
    expect([...(values["authorizer.mirroring.regions"] ?? [])]).toEqual([["west", { endpoint }]]);
    const secret = { "authorizer.mirroring.source.secret_access_key": "source-secret" };
    expect(problemsOf({ ...given, ...secret })).toEqual([
      "source.access_key_id: required with authorizer.mirroring.source.secret_access_key",
    ]);
  });

  it("needs a source with one secret for its key once there is a region", () => {
    const given = { "authorizer.mirroring.regions": { west: WEST } };
    expect(problemsOf(given)).toEqual([
      "source.endpoint: required: authorizer.mirroring.regions names regions",
    ]);
    const id = { "authorizer.mirroring.source.access_key_id": "AKIASOURCE" };
    const endpoint = { "authorizer.mirroring.source.endpoint": "https://data.example.com" };
    expect(problemsOf({ ...given, ...endpoint, ...id })).toEqual([
      expect.stringContaining("source.secret_access_key: required with"),
    ]);
    const both = { ...SOURCE, "authorizer.mirroring.source.secret_access_key_file": "/x" };
    expect(problemsOf({ ...given, ...both })).toEqual([
      expect.stringContaining("source.secret_access_key_file: is given"),
    ]);
    expect(
      problemsOf({ ...given, ...SOURCE, "authorizer.mirroring.source.endpoint": "data.example.com" }),
    ).toEqual([expect.stringContaining("source.endpoint: expected an http")]);
  });

  it("warns of what has no effect without a region", () => {
    const { warnings } = configFromObject({ "authorizer.mirroring.scan_interval": "5m" }, BASE);
    expect(warnings.map(({ message }) => message)).toContain(
      "has no effect: authorizer.mirroring.regions names no region",
    );
  });
});
