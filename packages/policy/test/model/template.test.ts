import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { compileTemplate, servicesOf } from "@svc-authorizer/policy/model/template.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";

const actions = { read: "demo:Read" };
const branch: ResourceType = {
  type: "branch",
  arn: "arn:svc:fs:::repository/{repository}/branch/{branch}",
  id: "{repository}/{branch}",
  actions,
};
const swapped: ResourceType = { type: "s", arn: "arn:svc:demo:::{a}/x/{b}.txt", id: "v1-{b}/{a}", actions };

describe("an id", () => {
  it("becomes an ARN with raw values, the last placeholder taking the rest", () => {
    const { toArn } = compileTemplate(branch);
    expect(toArn("r/main")).toBe("arn:svc:fs:::repository/r/branch/main");
    expect(toArn("r/feature/a b:c*?${user}%2F")).toBe(
      "arn:svc:fs:::repository/r/branch/feature/a b:c*?${user}%2F",
    );
  });

  it.each(["", "/", "r", "r/", "/main"])("that is %j is refused with the form of the type", (id) => {
    const problem = { problem: expect.stringContaining("{repository}/{branch}") };
    expect(compileTemplate(branch).toArn(id)).toEqual(problem);
  });

  it("is refused where a slash would move into a placeholder that is not the ARN's last", () => {
    expect(compileTemplate(swapped).toArn("v1-b/a/c")).toEqual({ problem: expect.stringContaining('"/"') });
    expect(compileTemplate(swapped).toArn("v1-b/a")).toBe("arn:svc:demo:::a/x/b.txt");
    expect(compileTemplate(swapped).toArn("b/a")).toEqual({ problem: expect.any(String) });
  });

  it("keeps dollars that a replacement would read", () => {
    expect(compileTemplate(branch).toArn("$&/$1$`")).toBe("arn:svc:fs:::repository/$&/branch/$1$`");
  });
});

describe("an ARN", () => {
  it.each([
    "arn:svc:fs:::repository/r",
    "arn:svc:fs:::repository/r/branch/",
    "arn:svc:fs:::repository//branch/b",
    "arn:svc:fs:::repository/r/tag/t",
    "arn:svc:auth:::repository/r/branch/b",
    "*",
    "",
  ])("%j has no id", (arn) => expect(compileTemplate(branch).fromArn(arn)).toBeUndefined());
});

describe("ids and ARNs", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 8 }),
    fc
      .array(fc.constantFrom("/", "x", ".txt", "branch", "v1-", "b", "}"), { minLength: 1 })
      .map((it) => it.join("")),
  );
  const three: ResourceType = {
    type: "t",
    arn: "arn:svc:demo:::{a}/-/{b}-/x/{c}",
    id: "{a}/{b}/{c}",
    actions,
  };

  it.each([branch, swapped, three])("are each other's inverse", (type) => {
    const { toArn, fromArn } = compileTemplate(type);
    let made = 0;
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const id = `${type === swapped ? "v1-" : ""}${a}/${b}/${c}`;
        for (const text of [id, `${a}/${b}`, `v1-${a}/${b}`]) {
          const arn = toArn(text);
          if (typeof arn !== "string") continue;
          made++;
          expect(fromArn(arn)).toBe(text);
        }
        for (const text of [`arn:svc:demo:::${a}/x/${b}.txt`, `arn:svc:fs:::repository/${a}/branch/${b}`]) {
          const found = fromArn(text);
          if (found !== undefined) expect(toArn(found)).toBe(text);
        }
      }),
      { numRuns: sized(100, 1_000) },
    );
    expect(made).toBeGreaterThan(sized(8, 100));
  });
});

it("a type speaks about the services of its ARN and of its actions", () => {
  expect([...servicesOf({ ...branch, actions: { a: "demo:A", b: "more:B" } }, "svc")]).toEqual([
    "fs",
    "demo",
    "more",
  ]);
});
