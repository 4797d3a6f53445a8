import { CompiledPolicies, compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { compilePolicyInSteps } from "@svc-authorizer/policy/engine/compile/compiled-policy.ts";
import { PolicySet, policySetInSteps } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import { StatementPool } from "@svc-authorizer/policy/engine/statement.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import { describe, expect, it, vi } from "vitest";
import { IndexBuilds, isQuick } from "../../src/decisions/index-builds.ts";
import { Scheduler, WorkBudget } from "../../src/schedule/scheduler.ts";

const policies = () => {
  const statement = Array.from({ length: 2_000 }, (_, index) => ({
    effect: "allow",
    action: ["fs:Read*"],
    resource: `arn:svc:fs:::repository/*?${index}`,
  }));
  return compile([{ name: "large", statement }], { partition: "svc", evaluator: "extended" });
};

describe("the index of an action that takes long to build", () => {
  it.each([
    ["a budget", new WorkBudget(1e9, () => new Error("too much"))],
    ["no budget", undefined],
  ])("is there before the decision, with %s", async (_, budget) => {
    const cold = policies();
    const { indexes } = cold.sets[0] as PolicySet;
    const ready = new IndexBuilds(new Scheduler()).ready(
      cold,
      { action: "fs:ReadObject", resource: "*" },
      budget,
    );
    expect(ready).toBeInstanceOf(Promise);
    expect(indexes.known("fs:ReadObject")).toBeUndefined();
    await ready;
    expect(indexes.known("fs:ReadObject")).toBeDefined();
  });
});

/** Sets of a user in many groups: each has a few policies about a repository of its own, and one about all. */
function manySets(amount: number): CompiledPolicies {
  const options = { partition: "svc", evaluator: "extended" } as const;
  const pool = new StatementPool(options.evaluator);
  const sets = Array.from({ length: amount }, (_, group) => {
    const statement = [`repository/r${group}/*`, "repository/*/object/shared"].map((resource) => ({
      effect: "allow",
      action: ["fs:Read*"],
      resource: `arn:svc:fs:::${resource}`,
    }));
    const policy = { name: `p${group}`, statement: group % 10 === 0 ? statement : statement.slice(0, 1) };
    return finish(policySetInSteps([finish(compilePolicyInSteps(policy, pool))], options.partition));
  });
  return new CompiledPolicies(options, sets);
}

describe("the indexes of many sets", () => {
  const action = "fs:ReadObject";
  const built = ({ sets }: CompiledPolicies) =>
    sets.flatMap((set, position) => (set.hasIndexOf(action) ? [position] : []));

  it("are built of those that have something about the resource", async () => {
    const user = manySets(1_000);
    const question = { action, resource: "arn:svc:fs:::repository/r7/object/a" };
    await new IndexBuilds(new Scheduler()).ready(user, question);
    expect(isQuick(user, question)).toBe(true);
    expect(
      outcomeTest(user, { user: "u", action, context: new Map() }, new Lookup())(question.resource),
    ).toEqual({
      effect: "allow",
    });
    const concerned = [7, ...Array.from({ length: 100 }, (_, index) => index * 10)];
    expect(built(user)).toEqual(concerned.sort((a, b) => a - b));
  });

  it("are built in slices before the decision, where many of them have something about it", async () => {
    const user = manySets(30_000);
    const question = { action, resource: "arn:svc:fs:::repository/r7/object/shared" };
    const ready = new IndexBuilds(new Scheduler()).ready(user, question);
    expect(ready).toBeInstanceOf(Promise);
    await ready;
    expect(built(user)).toHaveLength(3_001);
    expect(isQuick(user, question)).toBe(true);
  });

  it("are all built for a list, of which nobody knows the resources yet", async () => {
    const user = manySets(1_000);
    const builds = new IndexBuilds(new Scheduler());
    await builds.ready(user, { action, resource: "arn:svc:fs:::repository/r7/object/a" });
    expect(isQuick(user, { action, resource: "*" })).toBe(false);
    await builds.ready(user, { action, resource: "*" });
    expect(built(user)).toHaveLength(1_000);
    expect(isQuick(user, { action, resource: "*" })).toBe(true);
  });

  it("are listed and held in slices for a tree of many actions", async () => {
    const user = manySets(5_000);
    const or = Array.from({ length: 30 }, (_, index) => ({ action: `fs:Read${index}`, resource: "*" }));
    const listed = vi.spyOn(PolicySet.prototype, "indexesInSteps");
    const ready = new IndexBuilds(new Scheduler()).ready(user, { or });
    let isReady = false;
    void ready?.finally(() => {
      isReady = true;
    });
    const byTurn: number[] = [];
    for (let before = 0; !isReady; before = listed.mock.calls.length) {
      await new Promise(setImmediate);
      byTurn.push(listed.mock.calls.length - before);
    }
    expect(byTurn.reduce((sum, count) => sum + count, 0)).toBe(user.sets.length);
    expect(byTurn.filter((count) => count > 0).length).toBeGreaterThan(1);
    listed.mockRestore();
  });

  it("have the filters of all actions of a question, however many, whatever was asked before", async () => {
    const user = manySets(100);
    const builds = new IndexBuilds(new Scheduler());
    const asked = (from: number, amount: number) =>
      Array.from({ length: amount }, (_, index) => ({ action: `fs:Read${from + index}`, resource: "*" }));
    for (const or of [asked(0, 400), asked(300, 700), asked(0, 700)]) {
      await builds.ready(user, { or });
      expect(or.filter(({ action: one }) => user.filters?.known(one) === undefined)).toEqual([]);
    }
  });
});
