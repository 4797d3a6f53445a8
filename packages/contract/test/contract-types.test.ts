/** The types of the APIs name what the OpenAPI documents name, each once. */
import { describe, expect, it } from "vitest";
import { contractTypes } from "../../../build/contract-types.ts";
import { serviceDocument } from "../../../src/listeners/service-document.ts";
import { userDocument } from "../../../src/listeners/user-document.ts";

const files = await contractTypes("// Head.\n");
const decisions = files["decision-api.gen.ts"] ?? "";
const management = files["management-api.gen.ts"] ?? "";

/** Names of the types that a text declares itself. */
function declaredIn(text: string): readonly string[] {
  return [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = ""]) => name);
}

describe("the types of the management API", () => {
  it("have each operation below /api/v1 of the document by its path there, and those of mirrors by the whole path", () => {
    const { paths } = userDocument("1");
    const operations = Object.entries(paths)
      .filter(([path]) => /^\/(?:api\/v1|service\/replication)\//.test(path))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1/, "")}`),
      );
    expect(operations.length).toBeGreaterThan(50);
    const named = [...management.matchAll(/^ {2}"([A-Z]+ \/[^"]*)":/gm)].map(([, name]) => name);
    expect(named).toEqual(operations);
  });

  it("have each schema of the document, of their own or from the decision API", () => {
    const { schemas } = userDocument("1").components;
    const [shared = ""] = /(?<=export type \{)[^}]*/.exec(management) ?? [];
    const names = [...declaredIn(management), ...(shared.match(/\w+/g) ?? [])];
    expect(names).toEqual(expect.arrayContaining([...Object.keys(schemas)]));
    expect(new Set(names).size).toBe(names.length);
  });

  it("declare nothing anew that the decision API has in the same form", () => {
    const [own, of] = [userDocument("1"), serviceDocument("1")].map(({ components }) => components.schemas);
    const twice = declaredIn(management).filter((name) => declaredIn(decisions).includes(name));
    expect(twice.filter((name) => JSON.stringify(own?.[name]) === JSON.stringify(of?.[name]))).toEqual([]);
    // Two forms of one name stay two types.
    expect(twice).toContain("Error");
  });
});

it("begin with the head that says where they come from", () => {
  for (const text of Object.values(files)) expect(text).toMatch(/^\/\/ Head\.\n/);
});
