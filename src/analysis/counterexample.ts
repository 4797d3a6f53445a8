/** Requests that the engine answers differently, and the most readable ones among them. */

import { type CompiledPolicies, compile } from "../engine/compile.ts";
import { decide } from "../engine/decide.ts";
import { bindUser } from "../engine/resource-pattern.ts";
import type { DecisionContext, Effect, FieldValue, RequiredPermissions } from "../model/decision.ts";
import type { Condition, NamedStatements } from "../model/policy.ts";
import type { Vocabulary } from "../model/policy-warnings.ts";
import { contextsFor, NO_ADDRESS } from "./condition-context.ts";
import type { Point } from "./point-search.ts";
import type { Rule } from "./rules.ts";

/** A request that is allowed now and was not before, as the engine confirms. */
export interface Counterexample {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context: Readonly<Record<string, FieldValue>>;
  /** `neutral` or `deny`. */
  readonly before: Effect;
  readonly after: "allow";
}

/** What stands for open parts of readable requests. */
const FILLER = "x";

/** Asks the engine about two sets of policies. */
export class Confirmation {
  readonly #before: CompiledPolicies;
  readonly #after: CompiledPolicies;
  readonly #vocabulary: Partial<Vocabulary>;

  constructor(
    before: readonly NamedStatements[],
    after: readonly NamedStatements[],
    partition: string,
    vocabulary: Partial<Vocabulary> = {},
  ) {
    this.#before = compile(before, { partition, evaluator: "extended" });
    this.#after = compile(after, { partition, evaluator: "extended" });
    this.#vocabulary = vocabulary;
  }

  /** The request as a counterexample, if it is one. */
  ask(user: string, required: RequiredPermissions, context: DecisionContext): Counterexample | undefined {
    const request = { user, required, context };
    if (decide(this.#after, request).effect !== "allow") return undefined;
    const before = decide(this.#before, request).effect;
    if (before === "allow") return undefined;
    return { user, required, context: Object.fromEntries(context), before, after: "allow" };
  }

  /**
   * A counterexample at a point: without condition fields if that does, else with values made from the conditions.
   * Undefined where none of these is one, which says nothing about other values.
   * @param malformed a field that has to be no IP address
   */
  at(
    user: string,
    point: Point,
    conditions: readonly Condition[],
    malformed?: string,
  ): Counterexample | undefined {
    for (const context of contextsFor(conditions)) {
      const given = malformed === undefined ? context : new Map([...context, [malformed, NO_ADDRESS]]);
      const found = this.ask(user, point, given);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The same with an action that exists and a resource of its kind, if that is a counterexample as well. */
  readable(found: Counterexample, point: Point, rules: readonly Rule[]): Counterexample {
    const context = new Map(Object.entries(found.context));
    for (const action of this.#actionsLike(point.action)) {
      for (const resource of this.#resourcesLike(action, point.resource, rules, found.user)) {
        const better = this.ask(found.user, { action, resource }, context);
        if (better !== undefined) return better;
      }
    }
    return found;
  }

  #actionsLike(action: string): readonly string[] {
    const { actions } = this.#vocabulary;
    if (actions === undefined || actions.has(action)) return [action];
    const known = [...actions.values()].filter(({ requiredByAnEndpoint }) => requiredByAnEndpoint);
    return [...known.map(({ name }) => name), action];
  }

  #resourcesLike(action: string, resource: string, rules: readonly Rule[], user: string): readonly string[] {
    const { actions, resourceTypes } = this.#vocabulary;
    const kinds = actions?.get(action)?.resources ?? [];
    const asked = kinds.map((kind) =>
      kind === "*" ? "*" : resourceTypes?.get(kind)?.arn.replace(/\{[^{}]*\}/g, FILLER),
    );
    const written = rules
      .flatMap(({ resources }) => resources)
      .filter((pattern) => pattern !== "*")
      .map((pattern) => bindUser(pattern, user).replaceAll(/[*?]/g, FILLER));
    return [...asked.filter((one) => one !== undefined), ...written, resource];
  }
}
