import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isEarlierVersion } from "../../src/bootstrap/set-version.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";
import { codeOf } from "../directory/backends.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { bootstrapOn, changedCatalog, groupsOf, removeFolders } from "./kit.ts";

let store: Store;
let directory: OpenedDirectory;
beforeEach(async () => {
  store = openMemoryStore();
  directory = await openDirectoryOn(store);
  await bootstrapOn(directory);
});
afterEach(async () => {
  await directory.close();
  expect(await checkConsistency(store)).toEqual([]);
  removeFolders();
});

/** A later set: every policy may also `ci:Later`, Viewers read no catalogs, there is a policy and a group more. */
const later = () =>
  changedCatalog("2027.1.0", ({ policies, groups }) => {
    for (const { statement } of policies) statement[0]?.action.push("ci:Later*");
    policies.push({
      name: "FSNew",
      description: "new",
      source: "data server",
      statement: [{ effect: "allow", action: ["fs:ReadTag"], resource: "*" } as { action: string[] }],
    });
    const viewers = groups.find(({ name }) => name === "Viewers");
    if (viewers) viewers.policies = ["FSReadAll", "AuthManageOwnCredentials", "FSNew"];
    const developers = groups.find(({ name }) => name === "Developers");
    if (developers) developers.description = "described anew";
    groups.push({ ...(viewers as never as object), name: "Guests", policies: ["FSNew"] } as never);
  });

async function actions(policy: string): Promise<readonly string[]> {
  return (await directory.policies.get(policy)).statement[0]?.action ?? [];
}

it("updates what nobody changed, and adds what is new", async () => {
  const report = await bootstrapOn(directory, { catalog: await later() });
  expect(report).toMatchObject({ outcome: "upgraded", to: "2027.1.0" });
  expect(report.changes).toContainEqual({ kind: "policy", name: "FSReadAll", what: "updated" });
  expect(report.changes).toContainEqual({ kind: "policy", name: "FSNew", what: "created" });
  expect(report.changes).toContainEqual({ kind: "group", name: "Guests", what: "created" });
  expect(report.changes.filter(({ what }) => what === "kept")).toEqual([]);
  expect(await actions("FSReadAll")).toContain("ci:Later*");
  const groups = await groupsOf(directory);
  expect(groups["Viewers"]).toEqual(["AuthManageOwnCredentials", "FSNew", "FSReadAll"]);
  expect(groups["Guests"]).toEqual(["FSNew"]);
  expect((await directory.groups.get("Developers")).description).toBe("described anew");
});

it("keeps what somebody changed or deleted, and says so once", async () => {
  const { name, statement } = await directory.policies.get("FSReadAll");
  const narrowed = statement.map((each) => ({ ...each, resource: "arn:svc:fs:::repository/open" }));
  await directory.policies.update({ name, statement: narrowed });
  await directory.policies.delete("PRReadWriteAll");
  await directory.groups.detachPolicy("Viewers", "CatalogReadAll");
  await directory.groups.delete("SuperUsers");
  const catalog = await later();
  const { changes } = await bootstrapOn(directory, { catalog });
  const kept = changes.filter(({ what }) => what === "kept").map(({ kind, name: of }) => `${kind} ${of}`);
  // SuperUsers is deleted too, but the new set has nothing new for it.
  expect(kept).toEqual(["policy FSReadAll", "policy PRReadWriteAll", "group Developers", "group Viewers"]);
  expect((await directory.policies.get("FSReadAll")).statement).toEqual(narrowed);
  expect(await codeOf(directory.policies.get("PRReadWriteAll"))).toBe("not_found");
  const groups = await groupsOf(directory);
  expect(groups["Viewers"]).toEqual(["AuthManageOwnCredentials", "FSReadAll"]);
  expect(groups["SuperUsers"]).toBeUndefined();
  expect(await bootstrapOn(directory, { catalog })).toMatchObject({ outcome: "unchanged", changes: [] });
});

it("counts a policy as unchanged that an editor wrote back as it was", async () => {
  const before = await directory.policies.get("FSReadAll");
  await directory.policies.update({ ...before, acl: "", creation_date: 1 });
  const { changes } = await bootstrapOn(directory, { catalog: await later() });
  expect(changes).toContainEqual({ kind: "policy", name: "FSReadAll", what: "updated" });
});

it("does not bring back a deleted policy over two upgrades, and adopts what equals the new set", async () => {
  await directory.policies.delete("PRReadWriteAll");
  const catalog = await later();
  const wanted = catalog.preconfigured.policies.find(({ name }) => name === "FSFullAccess");
  await directory.policies.update({ name: "FSFullAccess", statement: wanted?.statement ?? [] });
  const { changes } = await bootstrapOn(directory, { catalog });
  expect(changes.filter(({ name }) => name === "FSFullAccess")).toEqual([]);
  const third = await changedCatalog("2027.2.0", ({ policies }) => {
    for (const { statement } of policies) statement[0]?.action.push("ci:Third*");
  });
  const report = await bootstrapOn(directory, { catalog: third });
  expect(await codeOf(directory.policies.get("PRReadWriteAll"))).toBe("not_found");
  expect(report.changes).toContainEqual({ kind: "policy", name: "FSFullAccess", what: "updated" });
  // No longer shipped: attachments may rely on it.
  expect(await actions("FSNew")).toEqual(["fs:ReadTag"]);
});

it("leaves a later set alone, so that a node of the former version takes nothing back", async () => {
  await bootstrapOn(directory, { catalog: await later() });
  const before = (await store.snapshot()).revision;
  const report = await bootstrapOn(directory);
  expect(report).toMatchObject({ outcome: "older", from: "2027.1.0", changes: [] });
  expect((await store.snapshot()).revision).toBe(before);
  expect(await actions("FSReadAll")).toContain("ci:Later*");
  expect(await bootstrapOn(directory, { catalog: await later() })).toMatchObject({ outcome: "unchanged" });
});

it.each([
  ["2026.9.0", "2026.10.0", true],
  ["2026.10.0", "2026.9.9", false],
  ["2026.10", "2026.10.1", true],
  ["2026.10.0", "2026.10", false],
  ["2026.10.0", "2026.10.0", false],
  ["2026.10.0-beta", "2026.11.0", false],
  ["ours", "2026.11.0", false],
])("version %s comes before %s: %s", (one, other, earlier) => {
  expect(isEarlierVersion(one, other)).toBe(earlier);
});

it("makes no administrator anew", async () => {
  await directory.users.delete("root");
  const report = await bootstrapOn(directory, { catalog: await later() });
  expect(report.admin).toBeUndefined();
  expect(await codeOf(directory.users.get("root"))).toBe("not_found");
});

it("gives Admins and SuperUsers pull requests and branch protection, which version 2026.11.0 did not have", async () => {
  const older = await changedCatalog("2026.11.0", ({ policies }) => {
    for (const policy of policies) {
      if (policy.name.startsWith("RepoManagement")) policy.statement = policy.statement.slice(0, 2);
    }
  });
  const before = openMemoryStore();
  const installed = await openDirectoryOn(before);
  await bootstrapOn(installed, { catalog: older });
  const report = await bootstrapOn(installed);
  expect(report.changes).toEqual([
    { kind: "policy", name: "RepoManagementFullAccess", what: "updated" },
    { kind: "policy", name: "RepoManagementReadAll", what: "updated" },
  ]);
  for (const [group, action, effect] of [
    ["Admins", "pr:WritePullRequest", "allow"],
    ["Admins", "branches:SetBranchProtectionRules", "allow"],
    ["SuperUsers", "pr:ReadPullRequest", "allow"],
    ["SuperUsers", "branches:GetBranchProtectionRules", "allow"],
    ["SuperUsers", "branches:SetBranchProtectionRules", "neutral"],
  ] as const) {
    const { results } = await installed.groups.policies(group, { amount: 10 });
    const policies = compile(results, { partition: "svc", evaluator: "extended" });
    const required = { action, resource: "arn:svc:fs:::repository/data" };
    expect([group, action, decide(policies, { user: "u", required, context: new Map() }).effect]).toEqual([
      group,
      action,
      effect,
    ]);
  }
  await installed.close();
});
