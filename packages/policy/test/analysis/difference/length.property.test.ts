import { accessDifference } from "@svc-authorizer/policy/analysis/difference/access-difference.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../../../test/proofs/size.ts";
import { wildcardMatch } from "../../engine/oracle.ts";
import { lengthOf } from "./in-lines.ts";

/** Pairs of policy sets; the search for the shortest list tries every one. */
const PAIRS = sized(300, 5_000);
const seed = Number(process.env["DIFFERENCE_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`length seed ${seed} (DIFFERENCE_SEED repeats a run)`);
/** Longer lists are not searched. */
const LONGEST = 4;
const BEGIN = "arn:svc:fs:::";
/** One text of each class that the patterns below can tell apart. */
const ACTIONS = ["a", "b", "ac", "c"];
const TEXTS = ["a", "ab", "ac", "aa", "b", "ba", "ca", "c"];
const POINTS = ACTIONS.flatMap((action) => TEXTS.map((text) => [action, text] as const));

const statement = fc.record({
  effect: fc.constantFrom("allow", "allow", "deny"),
  action: fc.array(fc.constantFrom("a", "b", "a*", "*"), { minLength: 1, maxLength: 2 }),
  resource: fc.constantFrom("a", "a*", "*", "b*", "*a", "ab").map((text) => BEGIN + text),
});
const side: fc.Arbitrary<Statement[]> = fc.array(statement, { minLength: 1, maxLength: 3 });

/** The requests of an area, a bit each. */
function bitsOf(actions: readonly string[], resource: string): number {
  const matches = ([action, text]: readonly [string, string]): boolean =>
    actions.some((one) => wildcardMatch(one, action)) && wildcardMatch(resource, text);
  return POINTS.reduce((bits, point, index) => (matches(point) ? bits | (1 << index) : bits), 0);
}

function allowedBits(statements: readonly Statement[]): number {
  let [allow, deny] = [0, 0];
  for (const { effect, action, resource } of statements) {
    const bits = bitsOf(action, resource.slice(BEGIN.length));
    if (effect === "deny") deny |= bits;
    else allow |= bits;
  }
  return allow & ~deny;
}

/** Lines that lie within the target, each with its length: an area minus up to two others. */
function linesWithin(target: number, areas: readonly number[]): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  const put = (bits: number, length: number): void => {
    if (bits !== 0 && (bits & ~target) === 0 && length < (lines.get(bits) ?? LONGEST + 1))
      lines.set(bits, length);
  };
  for (const area of areas) {
    put(area, 1);
    for (const one of areas) {
      put(area & ~one, 2);
      for (const other of areas) put(area & ~one & ~other, 3);
    }
  }
  return lines;
}

/** The length of the shortest list over the patterns of the statements; one more than the longest if it is longer. */
function shortest(target: number, statements: readonly Statement[]): number {
  const actions = [...new Set(statements.flatMap(({ action }) => action))];
  const resources = [...new Set(statements.map(({ resource }) => resource.slice(BEGIN.length)))];
  const sets = Array.from({ length: 2 ** actions.length - 1 }, (_, mask) =>
    actions.filter((__, index) => (((mask + 1) >> index) & 1) === 1),
  );
  const areas = [...new Set(sets.flatMap((set) => resources.map((resource) => bitsOf(set, resource))))];
  const lines = linesWithin(target, areas);
  let reached = new Map([[0, 0]]);
  for (let round = 0; round < LONGEST; round++) {
    const next = new Map(reached);
    for (const [bits, length] of reached) {
      for (const [line, more] of lines) {
        const sum = length + more;
        if (sum <= LONGEST && sum < (next.get(bits | line) ?? LONGEST + 1)) next.set(bits | line, sum);
      }
    }
    reached = next;
  }
  return reached.get(target) ?? LONGEST + 1;
}

const policiesOf = (statements: Statement[]): NamedStatements[] => [{ name: "p", statement: statements }];

it("the lines are at most three times as many as the shortest list has, exceptions included", {
  timeout: 3_600_000,
}, () => {
  let compared = 0;
  fc.assert(
    fc.property(side, side, (before, after) => {
      const options = { partition: "svc", vocabulary: {} };
      const { gains } = accessDifference(policiesOf(before), policiesOf(after), options);
      const target = allowedBits(after) & ~allowedBits(before);
      if (target === 0) return;
      compared++;
      const best = shortest(target, [...before, ...after]);
      const areas = gains.filter(({ kind }) => kind === "area");
      expect(lengthOf(areas), JSON.stringify(areas)).toBeLessThanOrEqual(3 * best);
    }),
    { seed, numRuns: PAIRS, endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(PAIRS / 3);
});
