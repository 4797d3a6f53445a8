/**
 * Which policies can allow an action on a resource, whoever holds them: what narrows the search for users. Nobody who
 * is allowed is left out; whether somebody is, is for the decision to say.
 */

import { parseTemplate, USER_VARIABLE } from "../model/condition-variables.ts";
import type { ConditionFields, RequiredLeaf } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import type { CompiledCondition } from "./conditions.ts";
import { classifyResource, isWildcardName, matchesResource, USER_PLACEHOLDER } from "./resource-pattern.ts";
import type { CompiledStatement } from "./statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "./work.ts";

const SUBJECT = "subject.";

/** Whether a policy can allow somebody of this name. */
export type NameTest = (username: string) => boolean;

/** What is asked for, and what is known of every user alike. */
export interface MayAllowQuestion extends RequiredLeaf {
  /** Condition fields without those of the user. */
  readonly context: ConditionFields;
}

/** Whether some policy can allow somebody of this name with these condition fields. */
export type FieldsTest = (username: string, context: ConditionFields) => boolean;

/** Policies, by name, as far as they matter for a question. */
export interface Narrowed {
  /** Policies that can allow it, with whom they can allow it. */
  readonly allowing: ReadonlyMap<string, NameTest>;
  /** Where attributes of the user decide whether any of them can allow it. */
  readonly byFields: FieldsTest | undefined;
  /** Policies without which every decision about it stays what it is are not among these. */
  readonly relevant: ReadonlySet<string>;
}

/** Narrows all policies of a directory down to those that matter. */
export function* narrowPolicies(policies: CompiledPolicies, question: MayAllowQuestion): Steps<Narrowed> {
  const narrowing = new Narrowing(policies, question);
  let work = 0;
  for (const statement of policies.fallible) narrowing.addFallible(statement);
  for (const statement of policies.statementsMatching(question.action.toWellFormed())) {
    work += narrowing.add(statement);
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  return narrowing.result();
}

/** A way in which a statement can allow: where its resource names the user, and where its condition reads the user. */
interface Way {
  /** Resources with `${user}`; undefined where another one matches for everybody. */
  readonly templates: readonly string[] | undefined;
  readonly condition: CompiledCondition | undefined;
  /** What decides about the condition. */
  readonly by: "nothing" | "name" | "attributes";
}

/** Most ways that are tried with the attributes of each user. */
const MOST_WAYS = 16;

/** Whether a condition holds for everybody or nobody, or what of the user decides. */
type Holding = "always" | "never" | "name" | "attributes";

/** Gathers what statements say of a question. */
class Narrowing {
  readonly #partition: string;
  readonly #required: string;
  readonly #context: ConditionFields;
  readonly #holding = new Map<CompiledCondition, Holding>();
  readonly #relevant = new Set<string>();
  readonly #forAnybody = new Set<string>();
  readonly #ways = new Map<string, Way[]>();

  constructor({ options }: CompiledPolicies, { resource, context }: MayAllowQuestion) {
    this.#partition = options.partition;
    this.#required = resource.toWellFormed();
    this.#context = context;
  }

  /** A statement that may fail to be evaluated denies everything, whatever it is about (evaluation.md §2). */
  addFallible({ policy }: CompiledStatement): void {
    this.#relevant.add(policy.name);
  }

  /** Adds a statement about the action; gives the units of work. */
  add(statement: CompiledStatement): number {
    const { resources = [] } = statement;
    this.#add(statement, resources);
    return resources.reduce(
      (sum, resource) => sum + PER_ITEM + resource.length + this.#required.length,
      PER_ITEM,
    );
  }

  #add(statement: CompiledStatement, resources: readonly string[]): void {
    const { policy, deny, condition } = statement;
    const matching = resources.filter((resource) => this.#canMatch(resource));
    if (matching.length === 0) return;
    this.#relevant.add(policy.name);
    const holding = this.#holdingOf(statement);
    if (deny || holding === "never" || this.#forAnybody.has(policy.name)) return;
    const isOpen = !matching.every((resource) => resource.includes(USER_PLACEHOLDER));
    if (isOpen && holding === "always") {
      this.#forAnybody.add(policy.name);
      return;
    }
    const by = holding === "always" ? "nothing" : holding;
    const way = { templates: isOpen ? undefined : matching, condition, by } as const;
    const known = this.#ways.get(policy.name);
    if (known === undefined) this.#ways.set(policy.name, [way]);
    else known.push(way);
  }

  result(): Narrowed {
    const allowing = new Map<string, NameTest>();
    for (const [policy, ways] of this.#ways) {
      allowing.set(policy, (name) => ways.some((way) => this.#passes(way, name)));
    }
    for (const policy of this.#forAnybody) allowing.set(policy, () => true);
    return { allowing, byFields: this.#byFields(), relevant: this.#relevant };
  }

  #byFields(): FieldsTest | undefined {
    const ways = [...this.#ways.values()].flat();
    const decide = this.#forAnybody.size === 0 && ways.some(({ by }) => by === "attributes");
    if (!decide || ways.length > MOST_WAYS) return undefined;
    return (name, context) => ways.some((way) => this.#passes(way, name, context));
  }

  /** True when the resource matches for some name. A name in the last field is at most any text. */
  #canMatch(resource: string): boolean {
    const template = resource.includes(USER_PLACEHOLDER);
    if (template && classifyResource(resource, this.#partition).kind === "bound") return true;
    const widest = template ? resource.replaceAll(USER_PLACEHOLDER, "*") : resource;
    return matchesResource(widest, this.#required, "", this.#partition);
  }

  #holdingOf(statement: CompiledStatement): Holding {
    const { condition } = statement;
    if (condition === undefined) return "always";
    let holding = this.#holding.get(condition);
    if (holding === undefined) {
      holding = this.#judge(condition, statement);
      this.#holding.set(condition, holding);
    }
    return holding;
  }

  #judge(condition: CompiledCondition, statement: CompiledStatement): Holding {
    for (const field of condition.reads) if (field.startsWith(SUBJECT)) return "attributes";
    if (readsName(statement)) return "name";
    return condition.evaluate(this.#context, "") === "satisfied" ? "always" : "never";
  }

  /** @param context the fields of that user, where they are known */
  #passes({ templates, condition, by }: Way, name: string, context?: ConditionFields): boolean {
    const fields = by === "name" ? this.#context : by === "attributes" ? context : undefined;
    if (fields !== undefined && condition?.evaluate(fields, name) !== "satisfied") return false;
    if (templates === undefined) return true;
    if (isWildcardName(name)) return false;
    return templates.some((template) => matchesResource(template, this.#required, name, this.#partition));
  }
}

/** True when a variable in a condition is the name of the user. */
function readsName({ policy, index }: CompiledStatement): boolean {
  const tests = Object.values(policy.statement[index]?.condition ?? {});
  return tests.some((fields) => Object.values(fields).flat().some(namesUser));
}

function namesUser(value: string): boolean {
  const template = parseTemplate(value);
  if ("problem" in template) return false;
  return template.parts.some((part) => "variable" in part && part.variable === USER_VARIABLE);
}
