import { Implications } from "@svc-authorizer/policy/analysis/compare/condition-implication.ts";
import { type Rule, rulesOf } from "@svc-authorizer/policy/analysis/compare/rules.ts";
import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import type { DecisionContext } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const ips = fc.subarray(["10.0.0.0/8", "10.1.0.0/16", "10.1.2.3", "::/0", "::ffff:10.1.0.0/112"], {
  minLength: 1,
});
const texts = fc.subarray(["", "a", "a*", "*", "?", "ab", "*b"], { minLength: 1 });
const part: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .tuple(fc.constantFrom("IpAddress", "NotIpAddress"), ips)
    .map(([operator, ip]) => ({ [operator]: { ip } })),
  fc
    .tuple(
      fc.constantFrom("StringLike", "StringNotLike", "StringEquals", "ForAnyValue:StringLike"),
      fc.constantFrom("f", "g"),
      texts,
    )
    .map(([operator, field, values]) => ({ [operator]: { [field]: values } })),
);
const condition = fc
  .tuple(part, part, fc.boolean())
  .map(([one, other, both]) => (both ? { ...one, ...other } : one));

const values = {
  ip: [undefined, "", "10.1.2.3", "10.9.9.9", "11.1.1.1", "::1", "bad", ["10.1.2.3"]],
  f: [undefined, "", "a", "ab", "b", "zz", ["a"]],
  g: [undefined, "a", "zz"],
};
const CONTEXTS: DecisionContext[] = values.ip.flatMap((ip) =>
  values.f.flatMap((f) =>
    values.g.map(
      (g) =>
        new Map(
          Object.entries({ ip, f, g }).filter(
            (entry): entry is [string, string | string[]] => entry[1] !== undefined,
          ),
        ),
    ),
  ),
);

function ruleWith(held: Condition, effect: string): Rule {
  const { allows, denies } = rulesOf(
    [{ name: "p", statement: [{ effect, action: ["*"], resource: "*", condition: held }] }],
    "svc",
  );
  return [...allows, ...denies].find(({ failure }) => !failure) as Rule;
}

describe("an implication", () => {
  it.each(["allow", "deny"])("that is claimed holds in every request, for %s", (effect) => {
    let claimed = 0;
    fc.assert(
      fc.property(condition, condition, (one, other) => {
        const [given, wanted] = [ruleWith(one, effect), ruleWith(other, effect)];
        if (!new Implications().holds(given, wanted)) return;
        claimed++;
        const [from, to] = [one, other].map((held) => new CompiledCondition(held, "extended")) as [
          CompiledCondition,
          CompiledCondition,
        ];
        for (const context of CONTEXTS) {
          const [was, is] = [from.evaluate(context, "u"), to.evaluate(context, "u")];
          const applies =
            effect === "deny" ? was === "satisfied" || was === "unreadable" : was === "satisfied";
          // What cannot be evaluated denies everything, whichever statement it is: that is compared apart.
          const follows = effect === "deny" ? is !== "unsatisfied" : is === "satisfied" || is === "error";
          if (applies) expect(follows, JSON.stringify([one, other, [...context]])).toBe(true);
        }
      }),
      { numRuns: 5_000 },
    );
    expect(claimed).toBeGreaterThan(50);
  });

  it.each<[Condition, Condition, boolean]>([
    [{ IpAddress: { ip: ["10.1.0.0/16"] } }, { IpAddress: { ip: ["10.0.0.0/8"] } }, true],
    [{ IpAddress: { ip: ["10.0.0.0/8"] } }, { IpAddress: { ip: ["10.1.0.0/16"] } }, false],
    [{ NotIpAddress: { ip: ["10.0.0.0/8"] } }, { NotIpAddress: { ip: ["10.1.0.0/16"] } }, true],
    [{ StringLike: { f: ["ab"] } }, { StringLike: { f: ["b", "a*"] } }, true],
    [{ StringNotLike: { f: ["a*"] } }, { StringNotLike: { f: ["ab"] } }, true],
    [{ StringEquals: { f: ["a"] }, StringLike: { g: ["a"] } }, { StringEquals: { f: ["a"] } }, true],
    [{ StringEquals: { f: ["a"] } }, { StringEquals: { f: ["a", "b"] } }, false],
  ])("of %j on %j: %s", (one, other, holds) => {
    expect(new Implications().holds(ruleWith(one, "allow"), ruleWith(other, "allow"))).toBe(holds);
  });
});
