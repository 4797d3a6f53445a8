import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { describe, expect, it } from "vitest";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { DATA_SERVER, filled } from "./fixtures.ts";

const endpoints = openEndpoints(await openCatalog({ partition: "svc" }));

/** Values for every placeholder that a permission of the data server names. */
function valuesFor(permission: unknown): Record<string, string> {
  const names = [...JSON.stringify(permission).matchAll(/\{([\w.]+)\}/g)].map(([, name]) => name as string);
  return Object.fromEntries(names.map((name, index) => [name, `v${index}/${name}`]));
}

describe("the requirement of an operation", () => {
  const plain = DATA_SERVER.api.filter(
    ({ per_item, for_each }) => per_item === undefined && for_each === undefined,
  );
  it.each(plain.map((one) => [one.operation, one] as const))(
    "%s is the data server's, with values",
    (operation, one) => {
      const values = valuesFor(one.permission);
      const expected = one.permission && filled(one.permission, values);
      expect(endpoints.requirement(operation, new Map(Object.entries(values)))).toEqual(expected);
    },
  );

  it("takes values as they are", () => {
    const values = new Map([["userId", "{userId}/$&/*"]]);
    const resource = "arn:svc:auth:::user/{userId}/$&/*";
    expect(endpoints.requirement("getUser", values)).toEqual({ action: "auth:ReadUser", resource });
  });

  it.each(["getuser", "", "constructor", "GetObject", "createMirror"])(
    "is none for %j: internal",
    (operation) => {
      expect(() => endpoints.requirement(operation, new Map())).toThrow(
        expect.objectContaining({ code: "internal" }),
      );
    },
  );

  it("never goes without a value: internal", () => {
    const missing = () => endpoints.requirement("createUser", new Map([["id", "a"]]));
    expect(missing).toThrow("createUser needs a value for {body.id}");
  });

  it.each(["deleteObjects", "importStart"])(
    "%s cannot be said without the items of its body: internal",
    (operation) => {
      const values = new Map([
        ["repository", "r"],
        ["branch", "b"],
      ]);
      expect(() => endpoints.requirement(operation, values)).toThrow(/for each item/);
    },
  );
});
