/** Values of condition fields with which conditions may hold or fail, to construct counterexamples. */

import ipaddr from "ipaddr.js";
import { parseDate } from "../../model/condition-values.ts";
import type { DecisionContext } from "../../model/decision.ts";
import { parseIpRange } from "../../model/ip.ts";
import type { Condition } from "../../model/policy.ts";

type Value = string | readonly string[] | undefined;

/** Most contexts to try for one request. */
const MOST_CONTEXTS = 1_000;
const MOST_VALUES = 40;
/** A value that no IP operator can read. */
export const NO_ADDRESS = "no-address";
const SOME_ADDRESSES = ["192.0.2.1", "2001:db8::1"];
const DAY_MS = 86_400_000;
/** Dates whose neighbours are written with a year of four digits, as conditions read them. */
const [FIRST_MS, LAST_MS] = [Date.parse("0000-01-02T00:00:00Z"), Date.parse("9999-12-30T00:00:00Z")];

function addressText(bytes: readonly number[], v4: boolean): string {
  return ipaddr.fromByteArray(v4 ? bytes.slice(12) : [...bytes]).toString();
}

/** The first address of a range and the one behind its last. */
function addressesAround(value: string): string[] {
  const range = parseIpRange(value);
  if (range === undefined) return [];
  const first = range.network.toByteArray();
  const after = [...first];
  let index = (range.bits - 1) >> 3;
  let carry = 1 << (7 - ((range.bits - 1) & 7));
  while (carry > 0 && index >= (range.v4 ? 12 : 0)) {
    const sum = (after[index] as number) + carry;
    after[index] = sum & 0xff;
    carry = sum >> 8;
    index--;
  }
  return [addressText(first, range.v4), addressText(after, range.v4)];
}

function numbersAround(value: string): string[] {
  const number = Number(value);
  return Number.isFinite(number) ? [number, number - 1, number + 1].map(String) : [];
}

function datesAround(value: string): string[] {
  const time = parseDate(value);
  if (time === undefined || time < FIRST_MS || time > LAST_MS) return [];
  return [time, time - DAY_MS, time + DAY_MS].map((one) => new Date(one).toISOString());
}

function textsAround(value: string): string[] {
  const plain = value.replaceAll("*", "").replaceAll("?", "x");
  return [
    plain,
    value.replaceAll("*", "x").replaceAll("?", "x"),
    `${plain}x`,
    `x${plain}`,
    plain.toUpperCase(),
  ];
}

function valuesFor(operator: string, values: readonly string[]): Value[] {
  const isList = operator.startsWith("ForA");
  const name = operator.replace(/^ForA(nyValue|llValues):/, "").replace(/IfExists$/, "");
  const found: string[] = name.endsWith("IpAddress")
    ? [...values.flatMap(addressesAround), ...SOME_ADDRESSES, NO_ADDRESS]
    : name.startsWith("Numeric")
      ? values.flatMap(numbersAround)
      : name.startsWith("Date")
        ? values.flatMap(datesAround)
        : name === "Bool"
          ? ["true", "false"]
          : [...values.flatMap(textsAround), "x"];
  return isList ? [...found.map((value) => [value]), found.slice(0, 8), []] : found;
}

/**
 * Contexts to try: first one without fields, then the simplest. The list is not complete: a condition may hold for a
 * context that is not among them.
 */
export function* contextsFor(conditions: readonly Condition[]): Generator<DecisionContext> {
  const byField = new Map<string, Set<Value>>();
  for (const condition of conditions) {
    for (const [operator, fields] of Object.entries(condition)) {
      for (const [field, values] of Object.entries(fields)) {
        const known = byField.get(field) ?? new Set<Value>([undefined]);
        for (const value of valuesFor(operator, values)) known.add(value);
        byField.set(field, known);
      }
    }
  }
  const fields = [...byField].map(([field, values]) => ({
    field,
    values: [...values].slice(0, MOST_VALUES),
  }));
  const total = fields.reduce((product, { values }) => product * values.length, 1);
  for (let index = 0; index < Math.min(total, MOST_CONTEXTS); index++) {
    const context = new Map<string, string | readonly string[]>();
    let rest = index;
    for (const { field, values } of fields) {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      if (value !== undefined) context.set(field, value);
    }
    yield context;
  }
}
