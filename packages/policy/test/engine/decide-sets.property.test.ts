import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { decideSetsInSteps } from "@svc-authorizer/policy/engine/decide/decide-sets.ts";
import { containsTexts, meetsTexts } from "@svc-authorizer/policy/engine/patterns/wildcard-on-sets.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { RequiredOnSets } from "@svc-authorizer/policy/model/resource-set.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { context, policiesOf, required, user } from "./arbitraries.ts";
import { oracle, wildcardMatch } from "./oracle.ts";

const seed = Number(process.env["ORACLE_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`oracle seed ${seed} (ORACLE_SEED repeats a run)`);
const options = { partition: "svc", evaluator: "data_server" } as const;

/** Stands for the characters that no pattern names. */
const FRESH = "#";
const ALPHABET = ["a", "b", FRESH, "日"];
/** The texts with which the gaps of a set are filled: every text of up to two characters, and a long one. */
const FILLINGS = ["", ...ALPHABET, ...ALPHABET.flatMap((x) => ALPHABET.map((y) => x + y)), FRESH.repeat(9)];

const literal = fc.string({ unit: fc.constantFrom("a", "a", "b", "日", "*"), maxLength: 3 });
const parts = fc.array(literal, { minLength: 2, maxLength: 3 });
const pattern = fc.string({ unit: fc.constantFrom("a", "a", "b", "*", "*", "?", "日"), maxLength: 6 });

/** Members of a set, many enough to tell it from its neighbours. */
function membersOf(set: readonly string[], fillings: readonly string[] = FILLINGS): string[] {
  const [first = "", ...rest] = set;
  return rest.reduce<string[]>(
    (begun, part) => begun.flatMap((text) => fillings.map((filling) => text + filling + part)),
    [first],
  );
}

/** Returns the pieces of a pattern, to fill gaps with. */
function piecesOf(one: string): string[] {
  const text = one.replaceAll("*", "").replaceAll("?", FRESH);
  return [...text].flatMap((_, start) => [...text].map((_, end) => [...text].slice(start, end + 1).join("")));
}

describe("a pattern and a set of texts, against all members written out", () => {
  it("contains only sets of which it matches every member, and nearly all of those", () => {
    let contained = 0;
    let missed = 0;
    fc.assert(
      fc.property(pattern, parts, (one, set) => {
        const all = membersOf(set).every((member) => wildcardMatch(one, member));
        const found = containsTexts(one, set);
        if (found) expect(all, `${one} does not contain ${set.join("_")}`).toBe(true);
        if (all) contained++;
        if (all && !found) missed++;
      }),
      { seed, numRuns: sized(3_000, 10_000) },
    );
    console.log(`sets contained: ${contained}, not seen to be: ${missed}`);
    expect(contained).toBeGreaterThan(sized(150, 500));
    expect(missed / contained).toBeLessThan(0.01);
  });

  it("meets every set of which it matches a member, and hardly any other", () => {
    let apart = 0;
    let mistaken = 0;
    fc.assert(
      fc.property(pattern, parts, (one, set) => {
        const found = meetsTexts(one, set);
        const fillings = found ? [...new Set([...FILLINGS, ...piecesOf(one)])] : FILLINGS;
        const some = membersOf(set, fillings).some((member) => wildcardMatch(one, member));
        if (some) expect(found, `${one} meets ${set.join("_")}`).toBe(true);
        else apart++;
        if (!some && found) mistaken++;
      }),
      { seed, numRuns: sized(3_000, 10_000) },
    );
    console.log(`sets not met: ${apart}, taken for met: ${mistaken}`);
    expect(apart).toBeGreaterThan(sized(150, 500));
    expect(mistaken / apart).toBeLessThan(0.02);
  });
});

const ARN_FILLINGS = ["", "a", "main", "/", ":", "alice/", "object/x", "日", "repository/a", FRESH.repeat(5)];

/** Policies of which most allow much, so that what else they hold matters. */
const policiesOnSets = fc
  .tuple(policiesOf(4), fc.constantFrom("*", "arn:svc:fs:::repository/*", undefined))
  .map(([policies, resource]) => {
    if (resource === undefined) return policies;
    return [...policies, { name: "much", statement: [{ effect: "allow", action: ["fs:*"], resource }] }];
  });

/** Required ARNs with a piece cut out here and there. */
const setResource = fc
  .tuple(
    fc.constantFrom(
      "arn:svc:fs:::repository/",
      "arn:svc:fs:::",
      "arn:svc:",
      "arn:svc:fs::1:",
      "arn:svc:auth:::",
    ),
    fc.array(fc.constantFrom("", "a", "main", "alice", "repository/", "/object/", "b", "日"), {
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map(([first, rest]) => ({ parts: [first, ...rest] as [string, ...string[]] }));

describe("a decision on a set, against the naive evaluator on its members", () => {
  it("allows only what it allows for every member, and denies where it denies any", () => {
    const effects = { allow: 0, neutral: 0, deny: 0 };
    fc.assert(
      fc.property(policiesOnSets, user, setResource, context, (policies, name, resource, fields) => {
        const action = "fs:ReadObject";
        const { effect } = finish(
          decideSetsInSteps(compile(policies, options), {
            user: name,
            required: { action, resource },
            context: fields,
          }),
        );
        effects[effect]++;
        const members = resource.parts
          .slice(1)
          .reduce<string[]>(
            (begun, part) => begun.flatMap((text) => ARN_FILLINGS.map((filling) => text + filling + part)),
            [resource.parts[0]],
          );
        const naive = members.map(
          (member) =>
            oracle(policies, { user: name, required: { action, resource: member }, context: fields }).effect,
        );
        if (effect === "allow") expect(new Set(naive)).toEqual(new Set(["allow"]));
        if (naive.includes("deny")) expect(effect).toBe("deny");
      }),
      { seed, numRuns: 1000 },
    );
    console.log(`decided on sets: ${JSON.stringify(effects)}`);
    for (const count of Object.values(effects)) expect(count).toBeGreaterThan(20);
  });

  it("is the decision on the ARN where the set has one part", () => {
    const onSets = (tree: RequiredPermissions): RequiredOnSets => {
      if ("action" in tree) return { action: tree.action, resource: { parts: [tree.resource] } };
      if ("and" in tree) return { and: tree.and.map(onSets) };
      return "or" in tree ? { or: tree.or.map(onSets) } : tree;
    };
    fc.assert(
      fc.property(policiesOf(4), user, required, context, (policies, name, tree, fields) => {
        const compiled = compile(policies, { ...options, evaluator: "extended" });
        const question = { user: name, context: fields };
        expect(finish(decideSetsInSteps(compiled, { ...question, required: onSets(tree) }))).toEqual(
          decide(compiled, { ...question, required: tree }),
        );
      }),
      { seed, numRuns: 2000 },
    );
  });
});
