/** Tests whether one condition implies another: a narrower range of addresses does not widen access. */

import { type IpRange, parseIpRange, rangeContains } from "../../model/ip.ts";
import type { Condition } from "../../model/policy.ts";
import { findText } from "./pattern-language.ts";
import type { Rule } from "./rules.ts";

interface Test {
  readonly operator: string;
  readonly field: string;
  readonly values: readonly string[];
}

const PLAIN: ReadonlySet<string> = new Set(["IpAddress", "NotIpAddress", "StringLike", "StringNotLike"]);

function testsOf(condition: Condition): Test[] {
  return Object.entries(condition).flatMap(([operator, fields]) =>
    Object.entries(fields).map(([field, values]) => ({ operator, field, values })),
  );
}

function rangesOf(values: readonly string[]): readonly IpRange[] | undefined {
  const ranges = values.map(parseIpRange);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/** Every address of `inner` is in some range of `outer`. */
function rangesWithin(inner: readonly string[], outer: readonly string[]): boolean {
  const [small, large] = [rangesOf(inner), rangesOf(outer)];
  if (small === undefined || large === undefined) return false;
  return small.every((one) =>
    large.some((range) => range.v4 === one.v4 && range.bits <= one.bits && rangeContains(range, one.network)),
  );
}

/** Every text of the patterns `inner` is a text of the patterns `outer`. */
function patternsWithin(inner: readonly string[], outer: readonly string[]): boolean {
  const emptyToo = inner.some((pattern) => /^\**$/.test(pattern));
  if (emptyToo && !outer.some((pattern) => /^\**$/.test(pattern))) return false;
  return inner.every((pattern) => findText([pattern], outer) === undefined);
}

function testImplies(given: Test, wanted: Test): boolean {
  if (given.operator !== wanted.operator || given.field !== wanted.field) return false;
  if (JSON.stringify(given.values) === JSON.stringify(wanted.values)) return true;
  switch (given.operator) {
    case "IpAddress":
      return rangesWithin(given.values, wanted.values);
    case "NotIpAddress":
      return rangesWithin(wanted.values, given.values);
    case "StringLike":
      return patternsWithin(given.values, wanted.values);
    case "StringNotLike":
      return patternsWithin(wanted.values, given.values);
    default:
      return false;
  }
}

function fieldsOf(tests: readonly Test[]): string {
  return JSON.stringify([...new Set(tests.map(({ field }) => field))].sort());
}

/** Tests whether the condition of one rule implies that of another, and remembers the answers. */
export class Implications {
  readonly #known = new Map<string, boolean>();

  /** True if `wanted` holds for every request for which `given` holds, by their conditions alone. */
  holds(given: Rule, wanted: Rule): boolean {
    if (wanted.key === undefined || wanted.key === given.key) return true;
    if (given.condition === undefined || wanted.condition === undefined) return false;
    const key = `${given.deny} ${wanted.deny} ${given.key} ${wanted.key}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = implies(given.condition, wanted.condition, given.deny);
      this.#known.set(key, known);
    }
    return known;
  }
}

function implies(given: Condition, wanted: Condition, asDeny: boolean): boolean {
  const [from, to] = [testsOf(given), testsOf(wanted)];
  if (!to.every((test) => from.some((one) => testImplies(one, test)))) return false;
  // An operator without fields always holds, unless it is unknown.
  if (!Object.keys(wanted).every((operator) => PLAIN.has(operator) || operator in given)) return false;
  if (!asDeny) return true;
  // A deny also holds where its condition cannot be read (a list of values): both must then read the same fields.
  return fieldsOf(from) === fieldsOf(to) && [...from, ...to].every(({ operator }) => PLAIN.has(operator));
}
