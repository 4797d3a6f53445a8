/**
 * Finds the policies that can allow an action on a resource, to narrow the search for users. It never excludes a user
 * who is allowed; the decision says whether a candidate is allowed.
 */

import { parseTemplate, USER_VARIABLE } from "../../model/condition-variables.ts";
import type { ConditionFields, RequiredLeaf } from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import { priceOf } from "../matching/matches.ts";
import {
  classifyResource,
  isWildcardName,
  matchesResource,
  USER_PLACEHOLDER,
} from "../patterns/resource-pattern.ts";
import type { CompiledStatement } from "../statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import { MOST_AT_ONCE } from "./lookup.ts";

const SUBJECT = "subject.";

/** The users that a policy can allow. */
interface AllowedUsers {
  /** True if the policy can allow a user with this name. */
  readonly mayBe: (username: string) => boolean;
  /** Units of work of asking that. */
  readonly price: number;
}

/** The question, and the facts that are the same for every user. */
interface MayAllowQuestion extends RequiredLeaf {
  /** Condition fields without those of the user. */
  readonly context: ConditionFields;
}

/** The users that some policy can allow. */
export interface AllowedFields {
  /** True for a user with this name and these condition fields. */
  readonly mayBe: (username: string, context: ConditionFields) => boolean;
  /** Units of work of asking that. */
  readonly price: number;
}

/** The policies that matter for a question, by name. */
export interface Narrowed {
  /** Policies that can allow it, with the users that they can allow. */
  readonly allowing: ReadonlyMap<string, AllowedUsers>;
  /** Present if attributes of the user decide whether any of them can allow it. */
  readonly byFields: AllowedFields | undefined;
  /** Does not contain policies that cannot change any decision about the question. */
  readonly relevant: ReadonlySet<string>;
}

/** Number of patterns of one statement between two steps. */
const FEW_PATTERNS = 8;

/** Selects the policies that matter from all policies of a directory. */
export function* narrowPolicies(policies: CompiledPolicies, question: MayAllowQuestion): Steps<Narrowed> {
  const narrowing = new Narrowing(policies, question);
  let work = 0;
  for (const statement of policies.fallible) narrowing.addFallible(statement);
  const action = question.action.toWellFormed();
  for (const statement of yield* policies.statementsMatchingInSteps(action)) {
    work += yield* narrowing.add(statement);
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  return narrowing.result();
}

/** A way in which a statement can allow: its resources that name the user, and its condition on the user. */
interface Way {
  /** Resources with `${user}`; undefined if another resource matches for all users. */
  readonly templates: readonly string[] | undefined;
  readonly condition: CompiledCondition | undefined;
  /** The part of the condition that depends on the user. */
  readonly by: "nothing" | "name" | "attributes";
}

/** Largest number of ways that are tried for each user. */
const MOST_WAYS = 16;

/** Units of work of compiling and matching a resource, for each character and besides them. */
const PER_CHARACTER = 4;
const PER_TEMPLATE = 1_500;

const ANYBODY: AllowedUsers = { mayBe: () => true, price: 0 };

/** The result of a condition for all users, or its dependence on the user. */
type Holding = "always" | "never" | "name" | "attributes";

/** Collects the results of statements for a question. */
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

  /** A statement whose evaluation may fail denies everything (spec/evaluation §2). */
  addFallible({ policy }: CompiledStatement): void {
    this.#relevant.add(policy.name);
  }

  /** Adds a statement about the action. Returns the units of work that are still to be spent. */
  *add(statement: CompiledStatement): Generator<number, number> {
    const { resources = [] } = statement;
    const matching: string[] = [];
    let work = PER_ITEM;
    for (const [index, resource] of resources.entries()) {
      if (this.#canMatch(resource)) matching.push(resource);
      work += this.#priceOfMatch(resource);
      // One statement may have a hundred patterns that each take a millisecond.
      if (index % FEW_PATTERNS < FEW_PATTERNS - 1) continue;
      yield work;
      work = 0;
    }
    this.#add(statement, matching);
    return work;
  }

  #add(statement: CompiledStatement, matching: readonly string[]): void {
    const { policy, deny, condition } = statement;
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
    const allowing = new Map<string, AllowedUsers>();
    for (const [policy, ways] of this.#ways) {
      const price = this.#priceOf(ways);
      // The decision about a user is made in steps: where a test would take longer than one, nobody is left out.
      const isQuick = price <= MOST_AT_ONCE;
      const mayBe = (name: string) => ways.some((way) => this.#passes(way, name));
      allowing.set(policy, isQuick ? { mayBe, price } : ANYBODY);
    }
    for (const policy of this.#forAnybody) allowing.set(policy, ANYBODY);
    return { allowing, byFields: this.#byFields(), relevant: this.#relevant };
  }

  #priceOf(ways: readonly Way[]): number {
    let price = 0;
    for (const { templates = [], condition, by } of ways) {
      if (by !== "nothing" && condition !== undefined) price += priceOf(condition, this.#context, "");
      for (const template of templates) price += this.#priceOfMatch(template);
    }
    return price;
  }

  #priceOfMatch(resource: string): number {
    return PER_TEMPLATE + PER_CHARACTER * (resource.length + this.#required.length);
  }

  #byFields(): AllowedFields | undefined {
    const ways = [...this.#ways.values()].flat();
    const decide = this.#forAnybody.size === 0 && ways.some(({ by }) => by === "attributes");
    if (!decide || ways.length > MOST_WAYS) return undefined;
    const price = this.#priceOf(ways);
    if (price > MOST_AT_ONCE) return undefined;
    return { mayBe: (name, context) => ways.some((way) => this.#passes(way, name, context)), price };
  }

  /** True if the resource matches for some name. A name in the last field may be any text. */
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
    // Users who may be allowed are decided about anyway, in steps: a long condition need not tell them apart.
    if (isLong(condition, this.#context, "")) return "always";
    return condition.evaluate(this.#context, "") === "satisfied" ? "always" : "never";
  }

  /** @param context the fields of that user, if known */
  #passes({ templates, condition, by }: Way, name: string, context?: ConditionFields): boolean {
    const fields = by === "name" ? this.#context : by === "attributes" ? context : undefined;
    if (fields !== undefined && !mayHold(condition, fields, name)) return false;
    if (templates === undefined) return true;
    if (isWildcardName(name)) return false;
    return templates.some((template) => matchesResource(template, this.#required, name, this.#partition));
  }
}

function isLong(condition: CompiledCondition, context: ConditionFields, name: string): boolean {
  return condition.canBeLong && priceOf(condition, context, name) > MOST_AT_ONCE;
}

function mayHold(condition: CompiledCondition | undefined, context: ConditionFields, name: string): boolean {
  if (condition === undefined) return false;
  return isLong(condition, context, name) || condition.evaluate(context, name) === "satisfied";
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
