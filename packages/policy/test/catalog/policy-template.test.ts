import { widening } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import type { PolicyTemplate } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { fillTemplate } from "@svc-authorizer/policy/catalog/policy-template.ts";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";

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

describe("the narrow replication policy in the form that takes effect", () => {
  const filled = (id: string) =>
    fillTemplate(templates.get(id) as PolicyTemplate, new Map(Object.entries(values)));
  const works = filled("replication-narrow-effective");
  const allowed = (policy: NamedStatements, action: string, resource: string): boolean => {
    const compiled = compile([policy], { partition: "svc", evaluator: "extended" });
    const required = { action, resource: `arn:svc:fs:::${resource}` };
    return decide(compiled, { user: "replicator", required, context: new Map() }).effect === "allow";
  };

  it.each([
    ["fs:ReadObject", "repository/src/object/a/b"],
    ["fs:ReadBranch", "repository/src/branch/main"],
    ["fs:WriteObject", "repository/copy/object/a/b"],
    ["fs:CreateCommit", "repository/copy/branch/main"],
    ["fs:RevertBranch", "repository/copy/branch/main"],
  ])("allows %s on %s, which the literal form does not", (action, resource) => {
    expect(allowed(works, action, resource)).toBe(true);
    expect(allowed(filled("replication-narrow"), action, resource)).toBe(false);
  });

  it.each([
    ["fs:ListObjects", "repository/src", true],
    ["fs:AttachStorageNamespace", "namespace/s3://bucket/a", true],
    ["fs:WriteObject", "repository/src/object/a", false],
    ["fs:ReadObject", "repository/src2/object/a", false],
    ["fs:ReadObject", "repository/other/object/a", false],
    ["fs:CreateTag", "repository/copy/tag/v1", false],
    ["fs:AttachStorageNamespace", "namespace/s3://bucket/b", false],
  ])("%s on %s: %s", (action, resource, expected) => {
    expect(allowed(works, action, resource)).toBe(expected);
  });

  it("allows all that the literal form does, but for an action that no endpoint requires on a repository", () => {
    const wider = widening([works], [filled("replication-narrow")], { partition: "svc" });
    expect(wider.map(({ point }) => point?.action)).toEqual(["fs:AttachStorageNamespace"]);
    expect(wider[0]?.point?.resource).toBe("arn:svc:fs:::repository/copy");
  });
});
