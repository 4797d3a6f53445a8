import { expect, it } from "vitest";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { doubtfulPolicies } from "../../src/directory/upkeep/doubtful-policies.ts";
import { openTestDirectory } from "./open-test-directory.ts";

const ALLOW = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };
const LIMITED = { ...ALLOW, condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } } };

/** The record of a version before this one. */
const earlier = (id: string, statement: readonly object[], more: object = {}) =>
  JSON.stringify({ id, rev: id, creation_date: 1, statement, ...more });

it("policies that an earlier version may have stripped are named, and no others", async () => {
  const { directory, store } = await openTestDirectory();
  await directory.policies.create({ name: "New", statement: [ALLOW] });
  await store.commit({
    put: [
      { partition: "policy", key: "Old", value: earlier("i1", [LIMITED, ALLOW, ALLOW]) },
      { partition: "policy", key: "Denies", value: earlier("i2", [{ ...ALLOW, effect: "deny" }]) },
      { partition: "policy", key: "OfFiles", value: earlier("i3", [ALLOW], { managed: true }) },
      { partition: "policy", key: "Shipped", value: earlier("i4", [ALLOW]) },
    ],
  });
  const shipped = [{ name: "Shipped", statement: [ALLOW] }];
  expect(await doubtfulPolicies(store, shipped)).toMatchObject([{ policy: "Old", statements: [1, 2] }]);
});

it("a statement with a member of a later version is a fault of the store", async () => {
  const { store } = await openTestDirectory();
  await store.commit({
    put: [{ partition: "policy", key: "Later", value: earlier("i1", [ALLOW, { ...ALLOW, until: "2027" }]) }],
  });
  expect(await checkConsistency(store)).toEqual([
    expect.objectContaining({
      kind: "unknown_member",
      key: "Later",
      message: expect.stringContaining('statement 1 has the member "until"'),
    }),
  ]);
});
