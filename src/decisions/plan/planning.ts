/**
 * `/plan`: the resources on which a user may act, as patterns (spec/decision-api §3.3). It takes the statements about an
 * action, fills in the user's name, and evaluates conditions as far as possible. The plan agrees with a check of every
 * resource.
 */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { onlyDeniesOwn } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { bindUser, USER_PLACEHOLDER } from "@svc-authorizer/policy/engine/patterns/resource-pattern.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "@svc-authorizer/policy/engine/work.ts";
import { parseArn } from "@svc-authorizer/policy/model/arn.ts";
import { operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import type { Plan } from "../searches.ts";
import { type Known, type Resolved, resolveCondition } from "./plan-conditions.ts";
import { Coverage, type TypePattern } from "./plan-patterns.ts";

/** Units of work of a character of a condition that the answer has. */
const PER_CHARACTER = 50;

type Conditional = Plan["conditional"][number];

/** The input of a plan. */
interface PlanQuestion extends Known {
  readonly action: string;
  /** Restricts the plan to the resources of this type. */
  readonly within?: TypePattern;
}

/** A test that never holds: no pattern of an empty list matches. */
const NEVER_SATISFIED = ["StringLike", { "": [] }] as const;

/** The plan of a user who can do nothing. */
export const NEVER: Plan = { kind: "never", allow: [], deny: [], conditional: [] };

/** Makes a plan, step by step. */
export function* planInSteps(policies: CompiledPolicies, question: PlanQuestion): Steps<Plan> {
  const draft = new Draft(policies, question);
  const matching = new Set(yield* policies.statementsMatchingInSteps(question.action.toWellFormed()));
  let work = 0;
  for (const statement of policies.statements) {
    const { resources = [] } = statement;
    work += PER_ITEM;
    if (matching.has(statement)) work += PER_ITEM * resources.length;
    if (work > STEP_UNITS) {
      yield work;
      work = 0;
    }
    if (yield* draft.failsWith(statement)) return NEVER;
    if (matching.has(statement)) yield* draft.add(statement);
  }
  yield work;
  return yield* draft.plan();
}

/** A plan under construction. */
class Draft {
  readonly #policies: CompiledPolicies;
  readonly #question: PlanQuestion;
  readonly #onlyDeniesOwn: boolean;
  readonly #resolved = new Map<CompiledStatement["condition"], Resolved>();
  readonly #allow = new Set<string>();
  readonly #deny = new Set<string>();
  readonly #texts = new Map<Condition, string>();
  /** By a unique key. */
  readonly #conditional = new Map<string, Conditional>();

  constructor(policies: CompiledPolicies, question: PlanQuestion) {
    this.#policies = policies;
    this.#question = question;
    this.#onlyDeniesOwn = onlyDeniesOwn(policies, question.user);
  }

  /**
   * True if the statement cannot be evaluated, which denies everything (spec/evaluation §2). If that depends on unknown
   * fields, adds a conditional deny of everything.
   */
  *failsWith(statement: CompiledStatement): Steps<boolean> {
    const { condition, resources } = statement;
    const resolved = yield* this.#resolve(statement);
    if (resolved.is === "error") return true;
    if (resources === undefined) {
      if (resolved.is === "open") yield* this.#addConditional("deny", "*", resolved.condition);
      return resolved.is !== "unsatisfied" && resolved.is !== "open";
    }
    if (condition?.hasBadValues) yield* this.#addErrors(statement);
    for (const field of condition?.addressFields ?? []) {
      if (!this.#question.context.has(field)) yield* this.#addConditional("deny", "*", noAddress(field));
    }
    return false;
  }

  /** Adds a statement about the action. */
  *add(statement: CompiledStatement): Steps<void> {
    const resolved = yield* this.#resolve(statement);
    const { deny, resources = [] } = statement;
    const holds = resolved.is === "satisfied" || (deny && resolved.is === "unreadable");
    const open = resolved.is === "open" && (deny || resolved.canHold);
    if (!holds && !open) return;
    for (const resource of resources) {
      if (!deny && this.#onlyDeniesOwn && resource.includes(USER_PLACEHOLDER)) continue;
      const pattern = this.#bound(resource);
      if (pattern === undefined) continue;
      if (resolved.is === "open") {
        yield* this.#addConditional(deny ? "deny" : "allow", pattern, resolved.condition);
      } else (deny ? this.#deny : this.#allow).add(pattern);
    }
  }

  /** The plan without patterns that others cover. */
  *plan(): Steps<Plan> {
    const { partition } = this.#policies.options;
    const denied = new Coverage(partition, this.#deny);
    const allowed = new Coverage(partition, this.#allow);
    const all = this.#question.within?.text ?? "*";
    if (denied.covers(all)) return NEVER;
    const price = PER_ITEM + denied.price + allowed.price;
    const allow = yield* filtered(
      this.#allow,
      (pattern) => !this.#deny.has(pattern) && !denied.covers(pattern) && !allowed.coversMore(pattern),
      price,
    );
    const deny = yield* filtered(this.#deny, (pattern) => !denied.coversMore(pattern), price);
    const conditional = yield* filtered(
      this.#conditional.values(),
      ({ effect, resource }) =>
        !denied.covers(resource) &&
        !(effect === "allow" && (this.#allow.has(resource) || allowed.covers(resource))),
      price,
    );
    if (allow.length === 0 && !conditional.some(({ effect }) => effect === "allow")) return NEVER;
    const isDenied = deny.length > 0 || conditional.some(({ effect }) => effect === "deny");
    if (!isDenied && allowed.covers(all)) return { kind: "always", allow, deny: [], conditional: [] };
    return { kind: "conditional", allow, deny, conditional };
  }

  *#resolve({ condition, policy, index }: CompiledStatement): Steps<Resolved> {
    const known = this.#resolved.get(condition);
    if (known !== undefined) return known;
    const written = policy.statement[index]?.condition;
    const resolved: Resolved =
      condition === undefined || !written
        ? { is: "satisfied" }
        : yield* resolveCondition(written, this.#question);
    this.#resolved.set(condition, resolved);
    return resolved;
  }

  /** The pattern with the user's name filled in; undefined if it matches no requested resource. */
  #bound(resource: string): string | undefined {
    const { user, within } = this.#question;
    const pattern = bindUser(resource, user).toWellFormed();
    if (pattern !== "*" && parseArn(pattern, this.#policies.options.partition) === undefined)
      return undefined;
    return within === undefined || within.meets(pattern) ? pattern : undefined;
  }

  /** Malformed address values fail when they are evaluated, which depends on unknown fields. */
  *#addErrors({ policy, index }: CompiledStatement): Steps<void> {
    const tests = Object.entries(policy.statement[index]?.condition ?? {}).flatMap(([name, fields]) => {
      const operator = operatorOf(name);
      if (operator?.plain !== true || operator.kind !== "ip") return [];
      const open = Object.entries(fields).filter(([field]) => !this.#question.context.has(field));
      return open.length === 0 ? [] : [[name, Object.fromEntries(open)] as const];
    });
    // Together with a test that is never satisfied, only their errors remain.
    if (tests.length === 0) return;
    yield* this.#addConditional("deny", "*", Object.fromEntries([...tests, NEVER_SATISFIED]));
  }

  *#addConditional(effect: Conditional["effect"], resource: string, condition: Condition): Steps<void> {
    const text = this.#textOf(condition);
    yield PER_CHARACTER * (resource.length + text.length);
    this.#conditional.set(JSON.stringify([effect, resource, text]), { effect, resource, condition });
  }

  /** Statements share conditions, each of which is written once. */
  #textOf(condition: Condition): string {
    let text = this.#texts.get(condition);
    if (text === undefined) {
      text = JSON.stringify(condition);
      this.#texts.set(condition, text);
    }
    return text;
  }
}

/** The items that pass a test of this price. */
function* filtered<T>(items: Iterable<T>, test: (item: T) => boolean, price: number): Steps<T[]> {
  const kept: T[] = [];
  let work = 0;
  for (const item of items) {
    work += price;
    if (work > STEP_UNITS) {
      yield work;
      work = 0;
    }
    if (test(item)) kept.push(item);
  }
  yield work;
  return kept;
}

/** A condition for a deny that applies exactly if the field exists and is not an IP address: such a value is an error. */
function noAddress(field: string): Condition {
  return { NotIpAddress: { [field]: ["0.0.0.0/0", "::/0"] } };
}
