import { describe, expect, it } from "vitest";
import type { PolicyTemplate } from "../../src/catalog/catalog.ts";
import { openCatalog } from "../../src/catalog/open-catalog.ts";
import { fillTemplate } from "../../src/catalog/policy-template.ts";

const { templates } = await openCatalog({ partition: "svc" });
const narrow = templates.get("replication-narrow") as PolicyTemplate;
const values = { sourceRepositoryId: "src", mirrorId: "copy", DestinationStorageNamespace: "s3://bucket/a" };

describe("filling a policy template", () => {
  it("puts each value in its place", () => {
    const { name, statement } = fillTemplate(narrow, new Map(Object.entries(values)));
    expect(name).toBe("ReplicationPolicy");
    expect(statement.map(({ resource }) => resource)).toEqual([
      "*",
      "arn:svc:fs:::repository/src",
      "arn:svc:fs:::repository/copy",
      "arn:svc:fs:::namespace/s3://bucket/a",
    ]);
  });

  it.each([
    ["missing", { sourceRepositoryId: "src", mirrorId: "copy" }],
    ["empty", { ...values, mirrorId: "" }],
    ["a wildcard", { ...values, mirrorId: "*" }],
    ["the current user", { ...values, mirrorId: "a-${user}" }],
    ["a control character", { ...values, mirrorId: "a\n" }],
    ["unknown", { ...values, region: "x" }],
  ])("refuses a value that is %s", (_, given) => {
    const fill = (): unknown => fillTemplate(narrow, new Map(Object.entries(given)));
    expect(fill).toThrow(expect.objectContaining({ code: "invalid_request", problems: [expect.anything()] }));
  });

  it("keeps ${user} and arrays of resources, whatever the values say", () => {
    const resource = '["arn:svc:fs:::repository/${user}-{name}","*"]';
    const template: PolicyTemplate = {
      id: "t",
      description: "d",
      source: "s",
      parameters: [{ name: "name", meaning: "m" }],
      policy: { name: "P", statement: [{ effect: "allow", action: ["fs:*"], resource }] },
    };
    const filled = fillTemplate(template, new Map([["name", 'a"$&{name}']]));
    expect(JSON.parse(filled.statement[0]?.resource as string)).toEqual([
      'arn:svc:fs:::repository/${user}-a"$&{name}',
      "*",
    ]);
  });
});
