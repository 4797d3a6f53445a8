import { readdirSync, readFileSync } from "node:fs";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { SCHEMA_BASE } from "@svc-authorizer/policy/catalog/schemas.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { type BrokenDocument, readDocuments } from "./documents.ts";

const { schema } = await openCatalog({ partition: "svc" });

describe.each(["policy", "dataset"] as const)("the schema of a %s", (name) => {
  it.each(readDocuments(`${name}/valid`))("accepts %s", (_, document) => {
    expect(schema(name).problems(document)).toEqual([]);
  });

  it.each(readDocuments<BrokenDocument>(`${name}/invalid`))("refuses %s with every pointer", (_, broken) => {
    const problems = schema(name).problems(broken.document);
    expect(problems.map(({ pointer }) => pointer).sort()).toEqual([...broken.pointers].sort());
    for (const { message } of problems) expect(message).not.toBe("");
  });
});

describe("messages", () => {
  it("say what is expected", () => {
    const problems = schema("dataset").problems({
      format: 2,
      users: [{ groups: ["a", "a"], nickname: "x", credentials: [{ access_key_id: "k" }] }],
      policies: [{ name: 1, statement: [{ effect: "Deny", action: [], resource: "*" }] }],
    });
    const byPointer = Object.fromEntries(problems.map(({ pointer, message }) => [pointer, message]));
    expect(byPointer).toMatchObject({
      "/format": "must be 1, the format this version reads",
      "/users/0": 'needs "username"',
      "/users/0/nickname": expect.stringMatching(/^is an unknown field; known are username, friendly_name/),
      "/users/0/groups/1": "is the same as element 0",
      "/users/0/credentials/0": expect.stringContaining("secret_access_key_env"),
      "/policies/0/name": "must be string",
      "/policies/0/statement/0/effect": 'must be "allow" or "deny", in lower case',
      "/policies/0/statement/0/action": "must not be empty",
    });
  });

  it("never repeat a secret", () => {
    const document = {
      format: 1,
      users: [{ username: "a", credentials: [{ secret_access_key: "hunter2", x: "hunter2" }] }],
    };
    const problems = schema("dataset").problems(document);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  it("refuse numbers that JSON cannot write, as YAML can give them", () => {
    const user = {
      username: "a",
      properties: { level: Number.NaN, nested: [{ x: Number.POSITIVE_INFINITY }] },
    };
    const problems = schema("dataset").problems({ format: 1, users: [user] });
    const pointers = problems.map(({ pointer }) => pointer);
    expect(pointers).toEqual(["/users/0/properties/level", "/users/0/properties/nested/0/x"]);
  });
});

describe("the files of policies/schema", () => {
  const folder = new URL("../../../../policies/schema/", import.meta.url);

  it("are valid JSON Schemas of draft 2020-12 and know each other", () => {
    const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
    ajv.addKeyword("problem");
    const names = readdirSync(folder);
    for (const name of names) {
      const document = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as { $id: string };
      expect(document.$id).toBe(SCHEMA_BASE + name);
      ajv.addSchema(document);
    }
    for (const name of names) expect(ajv.getSchema(SCHEMA_BASE + name)).toBeTypeOf("function");
  });
});
