import type { PolicyTemplate } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { policyWarnings, QUICK_LIMITS } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { describe, expect, it } from "vitest";

const catalog = await openCatalog({ partition: "svc" });

function warnings(statement: Partial<Statement>): string[] {
  const whole = { effect: "allow", action: ["fs:ReadObject"], resource: "*", ...statement };
  return policyWarnings({ name: "P", statement: [whole] }, catalog).map(
    ({ pointer, message }) => `${pointer.slice("/statement/0/".length)}: ${message}`,
  );
}

/** The policy of a template, each parameter with a name of its own. */
function filled(template: string): NamedStatements {
  const { policy } = catalog.templates.get(template) as PolicyTemplate;
  return JSON.parse(JSON.stringify(policy).replaceAll(/\{(\w+)\}/g, "$1")) as NamedStatements;
}

it("nothing is said about ordinary statements", () => {
  expect(warnings({ action: ["*", "fs:*", "fs:ReadObject", "auth:ListUsers", "demo:Read"] })).toEqual([]);
  expect(
    warnings({ resource: "arn:svc:fs:::repository/a/*", action: ["fs:ReadBranch", "fs:ReadObject"] }),
  ).toEqual([]);
  expect(warnings({ resource: "arn:svc:auth:::user/${user}", action: ["auth:*Credentials"] })).toEqual([]);
  expect(warnings({ resource: '["arn:svc:fs:::repository/a","arn:svc:fs:::repository/a/*"]' })).toEqual([]);
});

it("only actions of the catalog service are warned about in the preconfigured policies", () => {
  const warned = catalog.preconfigured.policies.filter(
    (policy) => policyWarnings(policy, catalog).length > 0,
  );
  expect(warned.map(({ name }) => name)).toEqual(["CatalogReadAll", "CatalogReadWriteAll"]);
});

it("the narrow replication policy is told that its repositories lack /*", () => {
  const policy = filled("replication-narrow");
  const found = policyWarnings(policy, catalog);
  const idle = found.map(({ pointer }) => {
    const [, , statement, , action] = pointer.split("/").map(Number) as [0, 0, number, 0, number];
    return `${statement} ${policy.statement[statement]?.action[action]}`;
  });
  expect(idle).toEqual([
    "1 fs:ReadObject",
    "1 fs:ReadBranch",
    "2 fs:AttachStorageNamespace",
    "2 fs:ReadObject",
    "2 fs:WriteObject",
    "2 fs:DeleteObject",
    "2 fs:DeleteBranch",
    "2 fs:RevertBranch",
    "2 fs:ReadBranch",
  ]);
  expect(found[0]?.message).toBe(
    "fs:ReadObject applies to objects (arn:svc:fs:::repository/{repository}/object/{key}); no resource in this " +
      "statement can match one: arn:svc:fs:::repository/sourceRepositoryId names the repository itself, " +
      "arn:svc:fs:::repository/sourceRepositoryId/* what is in it",
  );
  expect(found[2]?.message).toBe(
    "fs:AttachStorageNamespace applies to namespaces (arn:svc:fs:::namespace/{namespace}); no resource in " +
      "this statement can match one",
  );
});

it("nothing is said about the narrow replication policy in the form that takes effect", () => {
  expect(policyWarnings(filled("replication-narrow-effective"), catalog)).toEqual([]);
});

describe("a warning is given", () => {
  it.each([
    [
      "an action that does not exist",
      { action: ["fs:ReadObjects"] },
      "action/0: the data server has no action",
    ],
    ["an action no endpoint needs", { action: ["catalog:ReadTable"] }, "action/0: no endpoint"],
    [
      "a wildcard action that matches nothing",
      { action: ["fs:Reed*"] },
      "action/0: the data server has no action",
    ],
    [
      "a list action on less than `*`",
      { action: ["auth:ListUsers"], resource: "arn:svc:auth:::*" },
      'action/0: auth:ListUsers applies to the resource "*" alone; no resource in this statement can match one',
    ],
    [
      "an action of another service",
      { resource: "arn:svc:auth:::*" },
      "action/0: fs:ReadObject applies to objects (arn:svc:fs:::",
    ],
    [
      "an action on branches",
      { action: ["fs:ReadBranch"], resource: "arn:svc:fs:::repository/data" },
      "action/0: fs:ReadBranch applies to branches (arn:svc:fs:::repository/{repository}/branch/{branch}); no resource",
    ],
    ["a wildcard service", { resource: "arn:svc:*:::x" }, "resource: the service of an ARN"],
    ["a wildcard account", { resource: "arn:svc:fs::*:*" }, "resource: the account of an ARN"],
    ["a region", { resource: "arn:svc:fs:eu:a:*" }, "resource: the region"],
    ["${user} in an action", { action: ["fs:${user}"] }, "action/0: ${user} is replaced in resources only"],
    [
      "conditions that list filtering ignores",
      { action: ["fs:List*"], condition: { IpAddress: { SourceIp: ["::1"] } } },
      "condition: the data server ignores",
    ],
    [
      "trust in SourceIp",
      { condition: { IpAddress: { SourceIp: ["::1"] } } },
      "condition: the data server takes SourceIp",
    ],
    [
      "fields that nobody supplies",
      { condition: { StringLike: { team: ["a"] } } },
      "condition: the data server cannot evaluate this condition, so this allow is not sent to it",
    ],
    [
      "a deny that fails open",
      { effect: "deny", condition: { StringNotLike: { team: ["a"] } } },
      "condition: a missing field",
    ],
    [
      "${user} in a condition",
      { condition: { StringLike: { team: ["${user}"] } } },
      "condition: ${user} is ordinary text",
    ],
  ] as const)("for %s", (_, statement, expected) => {
    const found = warnings(statement as Partial<Statement>);
    expect(found.some((warning) => warning.startsWith(expected))).toBe(true);
  });
});

describe("a look with limits", () => {
  const arn = `arn:svc:fs:::${"*?e".repeat(1300)}`;
  const wide = {
    name: "P",
    statement: [
      { effect: "allow" as const, action: ["fs:ReadObject", "fs:None"], resource: "*" },
      {
        effect: "allow" as const,
        action: Array.from({ length: 3_000 }, (_, index) => `*${"?".repeat(index % 7)}:*e*`),
        resource: JSON.stringify([arn, arn]),
      },
    ],
  };

  it("ends early, says where, and has said what came before", () => {
    const found = policyWarnings(wide, catalog, { steps: 10_000, warnings: 100 });
    expect(found.map(({ pointer }) => pointer)).toEqual(["/statement/0/action/1", "/statement/1/action/0"]);
    expect(found[1]?.message).toBe(
      "the check stopped here, because it takes too long: run svcctl policy lint for the rest",
    );
  });

  it("gives so many warnings and one that it ended", () => {
    const action = Array.from({ length: 50 }, (_, index) => `fs:None${index}`);
    const policy = { name: "P", statement: [{ effect: "allow" as const, action, resource: "*" }] };
    expect(policyWarnings(policy, catalog)).toHaveLength(50);
    expect(policyWarnings(policy, catalog, { ...QUICK_LIMITS, warnings: 10 })).toHaveLength(11);
  });

  it("is enough for all of what ships, and for 1,000 ordinary statements", () => {
    const actions = ["fs:Read*", "fs:*Object", "auth:*", "*"];
    const statement = Array.from({ length: 1_000 }, (_, index) => ({
      effect: "allow" as const,
      action: [actions[index % 4] as string],
      resource: `arn:svc:fs:::repository/team-${index}/*`,
    }));
    for (const policy of [...catalog.preconfigured.policies, { name: "P", statement }]) {
      expect(policyWarnings(policy, catalog, { ...QUICK_LIMITS, warnings: 10_000 })).toEqual(
        policyWarnings(policy, catalog),
      );
    }
  });
});

it("warns of a sid that two statements of a policy have", () => {
  const statement = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };
  const sids = ["A", "B", undefined, undefined, "A"];
  const policy = {
    name: "P",
    statement: sids.map((sid) => (sid === undefined ? statement : { sid, ...statement })),
  };
  expect(policyWarnings(policy, catalog)).toEqual([
    {
      rule: "repeated-sid",
      pointer: "/statement/4/sid",
      message: "another statement of this policy has the same sid",
    },
  ]);
});
