/**
 * The operators that a condition may name: the data server's four (spec/evaluation §7) and those of the AWS IAM policy
 * language (spec/decision-api §4; spec/security §3.2), with the forms `IfExists`, `ForAnyValue:` and `ForAllValues:`.
 */

/** The kind of values that an operator compares. `arn` has patterns in each of its six parts; `folded` is text without regard to letter case. */
type ValueKind = "text" | "folded" | "pattern" | "arn" | "binary" | "number" | "date" | "boolean" | "ip";

/** The relation between a value of the request and a value of the policy for which an operator holds. */
export type Comparison = "equal" | "less" | "lessOrEqual" | "greater" | "greaterOrEqual";

/** An operator. */
export interface Operator {
  /** The kind of the values; `presence` (`Null`) tests only whether the field exists. */
  readonly kind: ValueKind | "presence";
  readonly comparison: Comparison;
  /** True if the operator holds when no value matches (several values are a NOR). */
  readonly negated: boolean;
  /** True if the operator holds for a missing field. */
  readonly ifExists: boolean;
  /** Number of values of the request that must match; `one` takes no list. */
  readonly over: "one" | "any" | "all";
  /** True for the data server's four operators, which never hold for a missing field. */
  readonly plain: boolean;
}

type Base = readonly [name: string, kind: ValueKind, negated: boolean, comparison: Comparison];

const PLAIN: ReadonlySet<string> = new Set(["IpAddress", "NotIpAddress", "StringLike", "StringNotLike"]);

function ordered(prefix: string, kind: "number" | "date"): readonly Base[] {
  return [
    [`${prefix}Equals`, kind, false, "equal"],
    [`${prefix}NotEquals`, kind, true, "equal"],
    [`${prefix}LessThan`, kind, false, "less"],
    [`${prefix}LessThanEquals`, kind, false, "lessOrEqual"],
    [`${prefix}GreaterThan`, kind, false, "greater"],
    [`${prefix}GreaterThanEquals`, kind, false, "greaterOrEqual"],
  ];
}

const BASES: readonly Base[] = [
  ["IpAddress", "ip", false, "equal"],
  ["NotIpAddress", "ip", true, "equal"],
  ["StringLike", "pattern", false, "equal"],
  ["StringNotLike", "pattern", true, "equal"],
  ["StringEquals", "text", false, "equal"],
  ["StringNotEquals", "text", true, "equal"],
  ["StringEqualsIgnoreCase", "folded", false, "equal"],
  ["StringNotEqualsIgnoreCase", "folded", true, "equal"],
  ...ordered("Numeric", "number"),
  ...ordered("Date", "date"),
  ["Bool", "boolean", false, "equal"],
  ["BinaryEquals", "binary", false, "equal"],
  // IAM says that the two names of each pair do the same.
  ["ArnEquals", "arn", false, "equal"],
  ["ArnLike", "arn", false, "equal"],
  ["ArnNotEquals", "arn", true, "equal"],
  ["ArnNotLike", "arn", true, "equal"],
];

const QUANTIFIERS = [
  ["", "one"],
  ["ForAnyValue:", "any"],
  ["ForAllValues:", "all"],
] as const;

const PRESENCE: Operator = {
  kind: "presence",
  comparison: "equal",
  negated: false,
  ifExists: false,
  over: "one",
  plain: false,
};

function* allOperators(): Generator<readonly [string, Operator]> {
  yield ["Null", PRESENCE];
  for (const [name, kind, negated, comparison] of BASES) {
    for (const [prefix, over] of QUANTIFIERS) {
      for (const ifExists of [false, true]) {
        const plain = over === "one" && !ifExists && PLAIN.has(name);
        const operator = { kind, comparison, negated, ifExists, over, plain };
        yield [`${prefix}${name}${ifExists ? "IfExists" : ""}`, operator];
      }
    }
  }
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map(allOperators());

/** Names of the operators without `IfExists`, `ForAnyValue:` and `ForAllValues:`, the data server's four first. */
export const OPERATOR_NAMES: readonly string[] = [...BASES.map(([name]) => name), "Null"];

/** The operator of that name, or undefined for an unknown one. Case sensitive. */
export function operatorOf(name: string): Operator | undefined {
  return OPERATORS.get(name);
}
