import { expect, it } from "vitest";
import { compileTree, fillTree } from "../../src/request-map/fill-template.ts";

it("a choice that nothing holds of needs what is never allowed: empty is never allow (spec/security §2.4)", () => {
  const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/{repository}" };
  const tree = compileTree({ choice: [{ when: { is: { "query.a": "1" } }, required }] });
  const filled = (a: string) =>
    fillTree(
      tree,
      () => "r",
      () => a,
    );
  expect(filled("1")).toEqual({
    action: "fs:ReadObject",
    resource: { parts: ["arn:svc:fs:::repository/r"] },
  });
  expect(filled("2")).toEqual({ or: [] });
});
