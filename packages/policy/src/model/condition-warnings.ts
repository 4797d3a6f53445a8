/**
 * Warnings about conditions that are valid but almost certainly a mistake (spec/security §2.9, spec/security §3.2;
 * spec/evaluation §7, spec/evaluation §10).
 */

import { closestName } from "./closest-name.ts";
import { isExtended, SOURCE_IP } from "./condition.ts";
import { type Operator, operatorOf } from "./condition-operators.ts";
import { parseTemplate } from "./condition-variables.ts";
import { patternsMeet } from "./pattern-meeting.ts";
import type { Condition, Statement } from "./policy.ts";
import { asksMissing } from "./truth-values.ts";

/** The rules of lint that warn of conditions. */
export type ConditionRule =
  | "data-server-condition"
  | "list-condition"
  | "forged-address"
  | "missing-field"
  | "address-field"
  | "literal-variable"
  | "literal-wildcard"
  | "unknown-field";

/** One warning, under its rule. */
interface ConditionWarning {
  readonly rule: ConditionRule;
  readonly message: string;
}

/** One field under one operator. */
interface Part {
  readonly name: string;
  readonly operator: Operator;
  readonly field: string;
  readonly values: readonly string[];
}

const LIST_FILTERED = "fs:ListRepositories";

function partsOf(condition: Condition): Part[] {
  return Object.entries(condition).flatMap(([name, fields]) => {
    const operator = operatorOf(name);
    if (operator === undefined) return [];
    return Object.entries(fields).map(([field, values]) => ({ name, operator, field, values }));
  });
}

/** Warnings about the way in which a data server reads the statement. */
function* ofDataServer({ action, effect, condition }: Statement): Generator<ConditionWarning> {
  const denies = effect === "deny";
  if (isExtended(condition)) {
    const portable = denies
      ? "this deny is sent to it without the condition"
      : "this allow is not sent to it";
    const message = `the data server cannot evaluate this condition, so ${portable}`;
    yield { rule: "data-server-condition", message };
  } else if (action.some((pattern) => patternsMeet(pattern, LIST_FILTERED))) {
    const effective = denies
      ? "this deny hides no repository"
      : "with this allow a user may list repositories but sees none of them";
    const message = `the data server ignores statements with conditions when it lists repositories: ${effective}`;
    yield { rule: "list-condition", message };
  }
}

/** The names of the fields, for a message. */
function fieldsOf(parts: readonly Part[]): string {
  return [...new Set(parts.map(({ field }) => field))].join(", ");
}

/** Warnings about fields that may be missing. */
function* ofMissingFields(parts: readonly Part[], effect: string): Generator<ConditionWarning> {
  const present = new Set(
    parts
      .filter(({ operator, values }) => operator.kind === "presence" && !asksMissing(values))
      .map(({ field }) => field),
  );
  const uncertain = parts.filter(({ field }) => !present.has(field) && field !== SOURCE_IP);
  const skipped = uncertain.filter(({ operator }) => operator.plain && operator.negated);
  if (effect === "deny" && skipped.length > 0) {
    const names = [...new Set(skipped.map(({ name }) => name))].join(", ");
    const message = `a missing field does not satisfy ${names}: this deny does not apply to requests without ${fieldsOf(skipped)}`;
    yield { rule: "missing-field", message };
  }
  const holding = uncertain.filter(
    ({ operator: { plain, negated, over, ifExists } }) => !plain && negated && over === "one" && !ifExists,
  );
  if (effect !== "deny" && holding.length > 0) {
    const names = [...new Set(holding.map(({ name }) => name))].join(", ");
    const message = `a missing field satisfies ${names}: this allow applies to requests without ${fieldsOf(holding)}, unless the condition also has Null "false" for it`;
    yield { rule: "missing-field", message };
  }
  const everyOfNone = uncertain.filter(({ operator }) => operator.over === "all");
  if (effect !== "deny" && everyOfNone.length > 0) {
    const message = `a missing field satisfies ForAllValues: this allow applies to requests without ${fieldsOf(everyOfNone)}, unless the condition also has Null "false" for it`;
    yield { rule: "missing-field", message };
  }
}

/** Warnings about variables under the data server's operators, which read them as ordinary text. */
function* ofVariables(parts: readonly Part[]): Generator<ConditionWarning> {
  for (const { name, operator, values } of parts) {
    if (!operator.plain) continue;
    const templates = values.map(parseTemplate).flatMap((one) => ("parts" in one ? one.parts : []));
    const variable = templates.find((part) => "variable" in part);
    if (variable === undefined) continue;
    const message = `\${${variable.variable}} is ordinary text under ${name}; ForAnyValue:${name} replaces it`;
    yield { rule: "literal-variable", message };
  }
}

/** Operators that compare whole texts → those that take patterns. */
const WITH_PATTERNS: ReadonlyMap<string, string> = new Map([
  ["StringEquals", "StringLike"],
  ["StringNotEquals", "StringNotLike"],
]);

/** Warnings about wildcards under operators that compare whole texts: such a value equals hardly any field. */
function* ofWildcards(parts: readonly Part[]): Generator<ConditionWarning> {
  for (const { name, operator, values } of parts) {
    if (operator.kind !== "text") continue;
    const written = values.find((value) => /[*?]/.test(value.replace(/\$\{[^}]*\}/g, "")));
    if (written === undefined) continue;
    const like = name.replace(/String(?:Not)?Equals/, (base) => WITH_PATTERNS.get(base) ?? base);
    // Without a prefix, the operators of patterns are those of the data server.
    const meant = /^(?:StringLike|StringNotLike)$/.test(like) ? `ForAnyValue:${like}` : like;
    const message = `the wildcard in ${JSON.stringify(written)} is ordinary text under ${name}: write ${meant} for a pattern, or \${*} for the character`;
    yield { rule: "literal-wildcard", message };
  }
}

/** Families of fields that a request can have; every name below them is possible. */
const FAMILIES = ["subject.", "resource.", "action.", "context."];

/** True for a field that some request can have. */
function isKnownField(field: string): boolean {
  return (
    field === SOURCE_IP || FAMILIES.some((family) => field.length > family.length && field.startsWith(family))
  );
}

/** Warnings about fields that no request has, and about addresses, whose errors deny everything. */
function* ofFields(parts: readonly Part[], effect: string): Generator<ConditionWarning> {
  const seen = new Set<string>();
  for (const { name, operator, field } of parts) {
    const isAddress = operator.plain && operator.kind === "ip" && field !== SOURCE_IP;
    if (!isKnownField(field) && !seen.has(field)) {
      seen.add(field);
      const meant = /source.?ip$/i.test(field)
        ? SOURCE_IP
        : closestName(field.replace(/^\w+:/, ""), [SOURCE_IP]);
      const instead =
        meant === undefined
          ? `fields are ${SOURCE_IP} and those that begin with ${FAMILIES.join(", ")}`
          : `did you mean ${meant}?`;
      const follows = isAddress
        ? "as written, any request without an IP address in this field is denied"
        : `as written, this ${effect === "deny" ? "deny" : "allow"} depends on a field that no request has`;
      yield { rule: "unknown-field", message: `there is no field ${field} (${instead}); ${follows}` };
    } else if (isAddress) {
      const message = `if ${field} is not an IP address, every request of the user is denied here, but not by a data server, which has no such field; ForAnyValue:${name} limits the error to this statement`;
      yield { rule: "address-field", message };
    }
  }
}

/** Warnings about the condition of a statement. The condition must satisfy `conditionProblems`. */
export function conditionWarnings(statement: Statement): ConditionWarning[] {
  const parts = partsOf(statement.condition ?? {});
  if (parts.length === 0) return [];
  const warnings = [...ofDataServer(statement)];
  if (parts.some(({ field }) => field === SOURCE_IP)) {
    const message =
      "the data server takes SourceIp from X-Forwarded-For, which any caller can set: have a proxy replace it";
    warnings.push({ rule: "forged-address", message });
  }
  return [
    ...warnings,
    ...ofMissingFields(parts, statement.effect),
    ...ofFields(parts, statement.effect),
    ...ofVariables(parts),
    ...ofWildcards(parts),
  ];
}
