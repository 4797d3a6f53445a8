import { CompiledPolicies, changedPlaces } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { compilePolicyInSteps } from "@svc-authorizer/policy/engine/compile/compiled-policy.ts";
import { type PolicySet, policySetInSteps } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { RequiredResource } from "@svc-authorizer/policy/engine/matching/required-resource.ts";
import { FoundSets } from "@svc-authorizer/policy/engine/matching/set-filter.ts";
import { StatementPool } from "@svc-authorizer/policy/engine/statement.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import { expect, it } from "vitest";

const options = { partition: "svc", evaluator: "extended" } as const;
const pool = new StatementPool(options.evaluator);
const SETS = 40;
const ACTION = "fs:ReadObject";
/** Positions that a filter names although nothing there concerns the resource. */
const MOST_NAMED = 8;

/** A set with a policy about a repository. */
function setOf(repository: string): PolicySet {
  const resource = `arn:svc:fs:::repository/${repository}/*`;
  const policy = { name: repository, statement: [{ effect: "allow", action: ["fs:Read*"], resource }] };
  return finish(policySetInSteps([finish(compilePolicyInSteps(policy, pool))], options.partition));
}

/** Positions of the sets that the filter names for an object of a repository. */
function named({ arnPrefix, sets, filters }: CompiledPolicies, repository: string): readonly number[] {
  const required = new RequiredResource();
  required.set(`arn:svc:fs:::repository/${repository}/object/a`, arnPrefix);
  const found = new FoundSets();
  found.begin(sets.length);
  filters?.of(ACTION).find(required, found);
  return [...found.positions.subarray(0, found.count)].sort((a, b) => a - b);
}

it("after each change, filters name the sets of now, and few that do not concern a resource", () => {
  const repositories = Array.from({ length: SETS }, (_, place) => `r${place}`);
  let policies = new CompiledPolicies(options, repositories.map(setOf));
  expect(named(policies, "r7")).toEqual([7]);
  const amounts: number[] = [];
  for (let change = 0; change < 3 * SETS; change++) {
    const place = change % SETS;
    const before = repositories[place]!;
    repositories[place] = `${before}+`;
    policies = new CompiledPolicies(
      options,
      policies.sets.with(place, setOf(repositories[place]!)),
      policies,
    );
    for (const [position, repository] of repositories.entries())
      expect(named(policies, repository)).toContain(position);
    amounts.push(named(policies, before).length);
  }
  expect(Math.max(...amounts)).toBe(MOST_NAMED);
  // It is made anew then.
  expect(amounts.filter((amount) => amount === 0).length).toBeGreaterThan(3);
});

it.each([
  ["another number of sets", (sets: readonly PolicySet[]) => sets.slice(1)],
  [
    "many other sets",
    (sets: readonly PolicySet[]) => sets.map((set, place) => (place < 9 ? setOf("x") : set)),
  ],
])("are made anew for %s", (_, changed) => {
  const sets = Array.from({ length: SETS }, (__, place) => setOf(`r${place}`));
  const before = new CompiledPolicies(options, sets);
  expect(named(before, "r20")).toEqual([20]);
  const now = new CompiledPolicies(options, changed(sets), before);
  expect(changedPlaces(sets, now.sets)).toBeUndefined();
  expect(named(now, "r20")).toEqual([now.sets.indexOf(sets[20]!)]);
});
