import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { PolicySet } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { describe, expect, it } from "vitest";
import { IndexBuilds } from "../../src/decisions/index-builds.ts";
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
