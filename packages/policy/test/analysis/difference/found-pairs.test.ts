/** Pairs that the random tests found, each with what was wrong. */

import { accessDifference } from "@svc-authorizer/policy/analysis/difference/access-difference.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { expect, it } from "vitest";
import { isInLines, lengthOf } from "./in-lines.ts";

const BEGIN = "arn:svc:fs:::";
const says = (effect: "allow" | "deny", action: string[], text: string): Statement => ({
  effect,
  action,
  resource: BEGIN + text,
});

function gained(before: readonly Statement[], after: readonly Statement[]) {
  const side = (statement: readonly Statement[]) => [{ name: "p", statement }];
  return accessDifference(side(before), side(after), { partition: "svc", vocabulary: {} }).gains;
}

it("two unchanged statements that leave nothing of a change for one user", () => {
  const kept = [says("allow", ["a*"], "${user}*"), says("deny", ["*"], "a*")];
  const gains = gained([...kept, says("deny", ["a*"], "**")], kept);
  const asked = (user: string) => ({ user, action: "ab", resource: `${BEGIN}${user}x`, context: {} });
  expect([isInLines(gains, asked("a")), isInLines(gains, asked("b"))]).toEqual([false, true]);
});

it("one line for classes of actions that were denied before and classes that nobody had", () => {
  const gains = gained(
    [says("allow", ["a*"], "ab"), says("allow", ["a", "b"], "a*"), says("deny", ["a", "*"], "*a")],
    [says("deny", ["b", "a*"], "a*"), says("allow", ["*", "a*"], "*")],
  );
  expect(lengthOf(gains)).toBe(2);
});
