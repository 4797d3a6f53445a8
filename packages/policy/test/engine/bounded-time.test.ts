import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { PolicySet } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { explain } from "@svc-authorizer/policy/engine/explain/explain.ts";
import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { describe, expect, it } from "vitest";

/** Far above what is needed and far below what a backtracking matcher takes: it would not end in a lifetime. */
const GENEROUS_MS = 2000;

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

describe("no input makes matching super-linear", () => {
  const long = "a".repeat(4096);
  it.each([
    ["stars between letters", "*a".repeat(2000), `${long}b`],
    ["stars and question marks", "*?a".repeat(1300), `${long}b`],
    ["a long literal after a star", `*${"a".repeat(2000)}b`, long],
    ["only stars", "*".repeat(4000), long],
    ["question marks", `${"?".repeat(4000)}*`, "日".repeat(1365)],
  ])("%s", (_, pattern, text) => {
    const wildcard = compileWildcard(pattern);
    expect(timed(() => wildcard.match(text))).toBeLessThan(GENEROUS_MS);
  });

  it("thousands of nested prefixes and of patterns that look alike", () => {
    const resource = (text: string): string => `arn:svc:fs:::repository/${text}`;
    const statement = Array.from({ length: 4000 }, (_, index) => [
      { effect: "allow", action: ["fs:*"], resource: resource(`${"a".repeat(index)}*`) },
      { effect: "deny", action: ["fs:*"], resource: resource(`*aaaa${"?a".repeat(index % 50)}b${index}`) },
    ]).flat();
    const policies = compile([{ name: "p", statement }], { partition: "svc", evaluator: "extended" });
    const required = { action: "fs:ReadObject", resource: resource("a".repeat(4000)) };
    const request = { user: "alice", required, context: new Map<string, string>() };
    decide(policies, request);
    expect(timed(() => decide(policies, request))).toBeLessThan(GENEROUS_MS);
  });

  it("an explanation does not look at every statement for every leaf", () => {
    const [statements, leaves] = [20_000, 900];
    const resource = (index: number, rest: string): string => `arn:svc:fs:::repository/r${index}/${rest}`;
    const statement = Array.from({ length: statements }, (_, index) => ({
      effect: "allow",
      action: ["*"],
      resource: resource(index, "*"),
    }));
    const policies = compile([{ name: "p", statement }], { partition: "svc", evaluator: "extended" });
    const and = Array.from({ length: leaves }, (_, index) => ({
      action: `fs:Act${index}`,
      resource: resource(index, "x"),
    }));
    const before = process.cpuUsage();
    const { effect, determining } = explain(policies, {
      user: "alice",
      required: { and },
      context: new Map<string, string>(),
    });
    const { user, system } = process.cpuUsage(before);
    expect([effect, determining.length]).toEqual(["allow", leaves]);
    // CPU time: looking at every statement for every leaf takes three times as much.
    expect((user + system) / 1_000).toBeLessThan(2 * GENEROUS_MS);
  });

  it("made-up action names do not fill the memory", () => {
    const policies = compile(
      [{ name: "p", statement: [{ effect: "allow", action: ["*"], resource: "*" }] }],
      {
        partition: "svc",
        evaluator: "extended",
      },
    );
    const { indexes } = policies.sets[0] as PolicySet;
    for (let index = 0; index < 5000; index++) indexes.of(`fs:Made${index}`);
    const kept = Array.from({ length: 5000 }, (_, index) => indexes.known(`fs:Made${index}`)).filter(
      (index) => index !== undefined,
    );
    expect(kept.length).toBeLessThan(1000);
  });
});
