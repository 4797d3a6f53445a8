/** Policies as rules for the comparison of languages: what is allowed, what is denied, and under which condition. */

import { compile } from "../../engine/compile/compile.ts";
import { type CompiledStatement, nameOf } from "../../engine/statement.ts";
import type { StatementName } from "../../model/decision.ts";
import type { Condition, NamedStatements } from "../../model/policy.ts";

/** The statement that a rule comes from. */
export type StatementPlace = StatementName;

/** A statement, or a way in which one fails and thereby denies everything (spec/evaluation §2.1, spec/evaluation §2.2). */
export interface Rule {
  readonly place: StatementPlace;
  readonly deny: boolean;
  readonly actions: readonly string[];
  /** As written, `${user}` included. */
  readonly resources: readonly string[];
  /**
   * Equal keys hold in the same requests; undefined: always. The key of a condition is its text with sorted names,
   * or says how an evaluation fails.
   */
  readonly key: string | undefined;
  /** The condition that the key stands for; undefined also for failures that are no plain "condition holds". */
  readonly condition: Condition | undefined;
  /** The condition whose fields matter, for a search of values. */
  readonly reads: Condition | undefined;
  /** True for a failure. */
  readonly failure: boolean;
  /** For a failure: the field that is no IP address. */
  readonly malformed?: string;
}

/** The rules of one set of policies. */
export interface RuleSet {
  readonly allows: readonly Rule[];
  /** Denies, and failures. */
  readonly denies: readonly Rule[];
}

const EVERYTHING = ["*"];

/** A text that is equal for equivalent conditions: names are sorted, values stay as they are. */
function conditionKey(condition: Condition): string {
  const sorted = <T>(value: Readonly<Record<string, T>>): [string, T][] =>
    Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return JSON.stringify(sorted(condition).map(([operator, fields]) => [operator, sorted(fields)]));
}

function writtenCondition({ policy, index }: CompiledStatement): Condition | undefined {
  return policy.statement[index]?.condition ?? undefined;
}

/** The ways in which a statement's evaluation can fail, each as a deny of everything. */
function failuresOf(statement: CompiledStatement, place: StatementPlace): Rule[] {
  const { condition: compiled, resources } = statement;
  const condition = writtenCondition(statement);
  const failure = (key: string | undefined, behind?: Condition): Rule => ({
    place,
    deny: true,
    actions: EVERYTHING,
    resources: EVERYTHING,
    key,
    condition: behind,
    reads: condition,
    failure: true,
  });
  if (compiled === undefined || condition === undefined)
    return resources === undefined ? [failure(undefined)] : [];
  if (compiled.alwaysFails) return [failure(undefined)];
  const text = conditionKey(condition);
  return [
    ...(resources === undefined ? [failure(text, condition)] : []),
    ...compiled.addressFields.map((field) => ({
      ...failure(`malformed ${JSON.stringify(field)}`),
      malformed: field,
    })),
    ...(compiled.hasBadValues ? [failure(`failing ${text}`)] : []),
  ];
}

/** True for operators without fields: they hold in every request. */
function holdsAlways(condition: Condition): boolean {
  return Object.values(condition).every((fields) => Object.keys(fields).length === 0);
}

/** True for a condition that no single value can satisfy. A list of values still makes a deny hold. */
function holdsNever(condition: Condition): boolean {
  return ["IpAddress", "StringLike"].some((operator) =>
    Object.values(condition[operator] ?? {}).some((values) => values.length === 0),
  );
}

function ruleOf(statement: CompiledStatement, place: StatementPlace): Rule[] {
  const { condition: compiled, resources, deny, actions } = statement;
  if (resources === undefined || compiled?.alwaysFails === true) return [];
  const written = compiled === undefined ? undefined : writtenCondition(statement);
  if (written !== undefined && !deny && holdsNever(written)) return [];
  const condition = written === undefined || holdsAlways(written) ? undefined : written;
  const key = condition === undefined ? undefined : conditionKey(condition);
  return [
    { place, deny, actions: actions.patterns, resources, key, condition, reads: condition, failure: false },
  ];
}

/** A text that is equal for equal rules of different statements. */
export function ruleText({ deny, failure, actions, resources, key }: Rule): string {
  return JSON.stringify([deny, failure, actions, resources, key ?? null]);
}

/** The rules of policies. A statement that cannot be evaluated is a deny of everything, as in the engine. */
export function rulesOf(policies: readonly NamedStatements[], partition: string): RuleSet {
  const { statements } = compile(policies, { partition, evaluator: "extended" });
  const rules = statements.flatMap((statement) => {
    const place = nameOf(statement);
    return [...failuresOf(statement, place), ...ruleOf(statement, place)];
  });
  const distinct = new Map<string, Rule>();
  for (const rule of rules) {
    const text = ruleText(rule);
    if (!distinct.has(text)) distinct.set(text, rule);
  }
  const all = [...distinct.values()];
  return { allows: all.filter(({ deny }) => !deny), denies: all.filter(({ deny }) => deny) };
}
