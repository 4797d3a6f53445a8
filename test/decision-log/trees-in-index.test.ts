/** Decisions about several permissions at once are found by each of them, and count for the policy that refused them. */

import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { summaryOf } from "@svc-authorizer/svcctl/decisions/record-summary.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { IndexDatabase } from "../../src/decision-log/index/index-database.ts";
import { decisionRows } from "../../src/decision-log/index/index-rows.ts";
import type { RecordFilter } from "../../src/decision-log/index/record-filter.ts";
import { reasonOf } from "../../src/decisions/shadow/shadow-question.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, openTestLog } from "./test-log.ts";

const R = "arn:svc:fs:::repository/";
const policy = (
  name: string,
  effect: "allow" | "deny",
  action: string,
): { name: string; statement: Statement[] } => ({
  name,
  statement: [{ effect, action: [action], resource: `${R}sales*` }],
});
const policies = compile(
  [
    policy("Reads", "allow", "fs:Read*"),
    policy("Lists", "allow", "fs:ListObjects"),
    policy("NoDelete", "deny", "fs:DeleteObject"),
  ],
  { partition: "svc", evaluator: "extended" },
);
const leaf = (action: string, name: string) => ({ action, resource: `${R}${name}` });

const READ_AND_LIST: RequiredPermissions = {
  and: [leaf("fs:ReadObject", "sales/object/a"), leaf("fs:ListObjects", "sales")],
};
const READ_AND_WRITE: RequiredPermissions = {
  and: [leaf("fs:ReadObject", "sales/object/a"), leaf("fs:WriteObject", "sales/object/b")],
};
const READ_AND_DELETE: RequiredPermissions = {
  and: [leaf("fs:ReadObject", "sales/object/a"), { or: [leaf("fs:DeleteObject", "sales/object/c")] }],
};
const ANY_OR_TAG: RequiredPermissions = {
  or: [{ any_resource: { action: "fs:ListRepositories" } }, leaf("fs:CreateTag", "other/tag/v1")],
};

function decidedTree(user: string, required: RequiredPermissions) {
  const decided = new DecidingStatements();
  const outcome = decide(policies, { user, required, context: new Map(), decidedBy: decided });
  const loaded = { policies, via: () => [] };
  return {
    ...decidedBy(user, "tree"),
    loaded,
    required,
    outcome,
    decidedBy: decided.all,
    operation: "copyObject",
  };
}

let index: IndexDatabase;

beforeEach(async () => {
  const directory = temporaryFolder();
  const log = await openTestLog(directory);
  for (const [user, required] of Object.entries({
    allowed: READ_AND_LIST,
    neutral: READ_AND_WRITE,
    denied: READ_AND_DELETE,
    any: ANY_OR_TAG,
  })) {
    log.decided(decidedTree(user, required));
  }
  await log.close();
  index = new IndexDatabase(directory, "n1", 0, decisionRows);
  await index.catchUp();
});
afterEach(() => index.close());

const found = (filter: RecordFilter): readonly unknown[] =>
  index
    .page(filter, { amount: 10 })
    .records.map((text) => JSON.parse(text).subject.id)
    .sort();

it.each<[string, RecordFilter, readonly string[]]>([
  ["an action", { action: "fs:ReadObject" }, ["allowed", "denied", "neutral"]],
  ["an action deeper in the tree", { action: "fs:Delete*" }, ["denied"]],
  ["an action on any resource", { action: "fs:ListRepositories" }, ["any"]],
  ["a resource", { resource: `${R}sales/object/b` }, ["neutral"]],
  [
    "an action on its own resource",
    { action: "fs:ReadObject", resource: `${R}sales/object/a` },
    ["allowed", "denied", "neutral"],
  ],
  ["not an action on the resource of another", { action: "fs:ReadObject", resource: `${R}sales` }, []],
  ["a policy that allowed it", { policy: "Lists" }, ["allowed"]],
  ["not a policy that allowed a part of what was refused", { policy: "Reads" }, ["allowed"]],
  ["the policy that denied it", { policy: "NoDelete" }, ["denied"]],
])("by %s", (_name, filter, users) => {
  expect(found(filter)).toEqual(users);
});

it("counts each refusal once, for the policy that denied it or for none", () => {
  expect(index.refusals()).toEqual([
    { policy: null, count: 2 },
    { policy: "NoDelete", count: 1 },
  ]);
});

it("names in a row what was required", () => {
  const [record] = index.page({ policy: "NoDelete" }, { amount: 1 }).records;
  expect(summaryOf(JSON.parse(record as string))).toMatchObject({
    action: "fs:ReadObject, fs:DeleteObject",
    resource: `${R}sales/object/a, ${R}sales/object/c`,
  });
});

it("a shadow's difference names the statement that refused, and none where none allowed the whole", () => {
  const reasons = [READ_AND_LIST, READ_AND_WRITE, READ_AND_DELETE].map((required) =>
    reasonOf(decidedTree("u", required)),
  );
  expect(reasons).toEqual([
    { effect: "allow", statement: expect.objectContaining({ policy: "Lists" }) },
    { effect: "neutral" },
    { effect: "deny", statement: expect.objectContaining({ policy: "NoDelete" }) },
  ]);
});

it("a tree of a caller's making takes a bounded number of rows", () => {
  const leaves = Array.from({ length: 5_000 }, (_, number) =>
    leaf("fs:ReadObject", `sales/object/${number}`),
  );
  const determining = Array.from({ length: 30 }, (_, number) => ({
    policy: `P${number}`,
    statement: 0,
    via: [],
  }));
  const record = { subject: { id: "u" }, effect: "allow", determining, required: { and: leaves } };
  expect(decisionRows(record as never).length).toBeLessThanOrEqual(1_000);
});
