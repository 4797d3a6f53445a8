import { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { compilePolicyInSteps } from "@svc-authorizer/policy/engine/compile/compiled-policy.ts";
import { policySetInSteps } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { decide, decideInSteps, decideOne } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import { type CompiledStatement, StatementPool } from "@svc-authorizer/policy/engine/statement.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { context, policiesOf, required, user } from "./arbitraries.ts";
import { oracle } from "./oracle.ts";

const RUNS = Number(process.env["ORACLE_CASES"] ?? sized(8_000, 30_000)) / 10;
const options = { partition: "svc", evaluator: "data_server" } as const;
const seed = Number(process.env["ORACLE_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`oracle seed ${seed} (ORACLE_SEED repeats a run)`);

const NAMES = ["a", "B", "b", "é", "日", "\uff21", "😀", "zz"];

/** Policies with names of their own, and for each the holders (groups, or the user) that it is attached to. */
const attached = policiesOf(8).chain((policies) =>
  fc.tuple(
    fc.constant(policies.slice(0, NAMES.length).map((policy, index) => ({ ...policy, name: NAMES[index]! }))),
    fc.array(fc.array(fc.nat(59), { minLength: 1, maxLength: 3 }), {
      minLength: NAMES.length,
      maxLength: NAMES.length,
    }),
    // A look-up looks into each of a few sets, and asks a filter which of many to look into.
    fc.constantFrom(5, 12),
  ),
);

/** Compiles the policies of all holders together; a policy that several holders have is compiled once. */
function composed(
  policies: readonly NamedStatements[],
  holders: readonly (readonly number[])[],
  amount: number,
): CompiledPolicies {
  const pool = new StatementPool(options.evaluator);
  const compiled = policies.map((policy) => finish(compilePolicyInSteps(policy, pool)));
  const sets = Array.from({ length: amount }, (_, holder) => {
    const own = compiled.filter((__, index) => holders[index]?.some((one) => one % amount === holder));
    own.sort((a, b) => compareUtf8(a.source.name, b.source.name));
    return finish(policySetInSteps(own, options.partition));
  });
  return new CompiledPolicies(options, sets);
}

/**
 * The same, after changes: a few sets were empty or those of other places, and each step puts one where it belongs. What was
 * made for some actions before is changed with them.
 */
function changedInto({ sets }: CompiledPolicies, actions: readonly string[]): CompiledPolicies {
  const empty = finish(policySetInSteps([], options.partition));
  const places = [0, 1, sets.length - 1];
  let now = sets.with(0, empty).with(1, empty).with(-1, sets[0]!);
  let policies = new CompiledPolicies(options, now);
  for (const [step, place] of places.entries()) {
    // Not all at each step: some filters are made anew.
    for (const action of actions.slice(0, step === 0 ? actions.length : -1)) policies.filters?.of(action);
    now = now.with(place, sets[place]!);
    policies = new CompiledPolicies(options, now, policies);
  }
  expect(policies.sets.every((set, place) => set === sets[place])).toBe(true);
  return policies;
}

describe("policies put together from shared sets", () => {
  it("decide as a naive evaluator does with all of them, and name the same first deny", {
    timeout: sized(240_000, 3_600_000),
  }, () => {
    const lookup = new Lookup();
    const effects = { allow: 0, neutral: 0, deny: 0 };
    const request = fc.record({ user, required, context });
    fc.assert(
      fc.property(
        attached,
        fc.array(request, { minLength: 10, maxLength: 10 }),
        ([policies, holders, amount], requests) => {
          const user = composed(policies, holders, amount);
          const changed = changedInto(
            user,
            requests.flatMap(({ required }) => ("action" in required ? [required.action] : [])),
          );
          const ordered = [...policies].sort((a, b) => compareUtf8(a.name, b.name));
          for (const one of requests) {
            const statements: Statement[] = [];
            const expected = oracle(ordered, one, statements);
            effects[expected.effect]++;
            const atOnce = new DecidingStatements();
            expect(decide(user, { ...one, decidedBy: atOnce })).toEqual(expected);
            const inSteps = new DecidingStatements();
            expect(finish(decideInSteps(user, { ...one, decidedBy: inSteps }))).toEqual(expected);
            if ("action" in one.required) {
              const { action, resource } = one.required;
              expect(outcomeTest(user, { ...one, action }, lookup)(resource)).toEqual(expected);
              expect(decideOne(user, one.required, one, lookup)).toEqual(expected);
              expect(decideOne(changed, one.required, one, lookup)).toEqual(expected);
              expect(changed.gateOpener(action)).toBe(user.gateOpener(action));
              expect(changed.passesGate(action)).toBe(user.passesGate(action));
              expect(lookup.place().statementIn(user)).toBe(atOnce.all[0]);
            }
            const written = ({ policy, index }: CompiledStatement) => policy.statement[index];
            expect(atOnce.all.map(written)).toEqual(statements);
            expect(inSteps.all.map(written)).toEqual(statements);
          }
          expect(user.statements.map(({ policy, index }) => [policy.name, index])).toEqual(
            ordered.flatMap(({ name, statement }) => statement.map((_, index) => [name, index])),
          );
        },
      ),
      { seed, numRuns: RUNS },
    );
    console.log(`composed users compared with the oracle: ${JSON.stringify(effects)}`);
    for (const count of Object.values(effects)) expect(count).toBeGreaterThan(RUNS * 10 * 0.02);
  });
});
