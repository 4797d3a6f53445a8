/**
 * Warnings about conditions that are valid but almost certainly a mistake (security.md §2.9, security.md §3.2;
 * evaluation.md §7, evaluation.md §10).
 */

import { isExtended, SOURCE_IP } from "./condition.ts";
import { type Operator, operatorOf } from "./condition-operators.ts";
import { parseTemplate } from "./condition-variables.ts";
import { patternsMeet } from "./pattern-meeting.ts";
import type { Condition, Statement } from "./policy.ts";

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
function* ofDataServer({ action, effect, condition }: Statement): Generator<string> {
  const denies = effect === "deny";
  if (isExtended(condition)) {
    const portable = denies
      ? "this deny is sent to it without the condition"
      : "this allow is not sent to it";
    yield `the data server cannot evaluate this condition, so ${portable}`;
  } else if (action.some((pattern) => patternsMeet(pattern, LIST_FILTERED))) {
    const effective = denies
      ? "this deny hides no repository"
      : "with this allow a user may list repositories but sees none of them";
    yield `the data server ignores statements with conditions when it lists repositories: ${effective}`;
  }
}

/** The names of the fields, for a message. */
function fieldsOf(parts: readonly Part[]): string {
  return [...new Set(parts.map(({ field }) => field))].join(", ");
}

/** Warnings about fields that may be missing. */
function* ofMissingFields(parts: readonly Part[], effect: string): Generator<string> {
  const present = new Set(
    parts
      .filter(({ operator, values }) => operator.kind === "presence" && !values.includes("true"))
      .map(({ field }) => field),
  );
  const uncertain = parts.filter(({ field }) => !present.has(field) && field !== SOURCE_IP);
  const skipped = uncertain.filter(({ operator }) => operator.plain && operator.negated);
  if (effect === "deny" && skipped.length > 0) {
    const names = [...new Set(skipped.map(({ name }) => name))].join(", ");
    yield `a missing field does not satisfy ${names}: this deny does not apply to requests without ${fieldsOf(skipped)}`;
  }
  const everyOfNone = uncertain.filter(({ operator }) => operator.over === "all");
  if (effect !== "deny" && everyOfNone.length > 0) {
    yield `a missing field satisfies ForAllValues: this allow applies to requests without ${fieldsOf(everyOfNone)}, unless the condition also has Null "false" for it`;
  }
}

/** Warnings about variables under the data server's operators, which read them as ordinary text. */
function* ofVariables(parts: readonly Part[]): Generator<string> {
  for (const { name, operator, values } of parts) {
    if (!operator.plain) continue;
    const templates = values.map(parseTemplate).flatMap((one) => ("parts" in one ? one.parts : []));
    const variable = templates.find((part) => "variable" in part);
    if (variable === undefined) continue;
    yield `\${${variable.variable}} is ordinary text under ${name}; ForAnyValue:${name} replaces it`;
  }
}

/** Warnings about address fields that a data server does not have: it cannot evaluate a deny on them. */
function* ofUnseenAddresses(parts: readonly Part[]): Generator<string> {
  for (const { name, operator, field } of parts) {
    if (!operator.plain || operator.kind !== "ip" || field === SOURCE_IP) continue;
    yield `if ${field} is not an IP address, every request of the user is denied here, but not by a data server, which has no such field; ForAnyValue:${name} limits the error to this statement`;
  }
}

/** Warnings about the condition of a statement. The condition must satisfy `conditionProblems`. */
export function conditionWarnings(statement: Statement): string[] {
  const parts = partsOf(statement.condition ?? {});
  if (parts.length === 0) return [];
  const warnings = [...ofDataServer(statement)];
  if (parts.some(({ field }) => field === SOURCE_IP)) {
    warnings.push(
      "the data server takes SourceIp from X-Forwarded-For, which any caller can set: have a proxy replace it",
    );
  }
  return [
    ...warnings,
    ...ofMissingFields(parts, statement.effect),
    ...ofUnseenAddresses(parts),
    ...ofVariables(parts),
  ];
}
