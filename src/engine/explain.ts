/**
 * Why a decision came out as it did (decision-api.md §5): the statements that decided, the effect of every node, and
 * what nearly allowed. It walks the statements of an action, apart from the indexes that decide, and costs nothing when
 * not asked.
 */

import type {
  Effect,
  EffectTree,
  NearMiss,
  Outcome,
  RequiredLeaf,
  RequiredPermissions,
} from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { aboutLeaf, decide, type EngineRequest, onlyDeniesOwn } from "./decide.ts";
import { nearMissesInSteps } from "./near-misses.ts";
import { OrderedStatements } from "./ordered-statements.ts";
import { USER_PLACEHOLDER } from "./resource-pattern.ts";
import { type CompiledStatement, matchingAction } from "./statement.ts";

/** Statements looked at between two steps: well under a millisecond. */
const STEP = 128;

/** A statement that decided; the caller adds how its policy reaches the user. */
export interface Determining {
  readonly policy: string;
  readonly statement: number;
  readonly effect: string;
  readonly action: string;
  readonly resource: string;
}

/** A decision with its reasons. */
export interface ExplainedOutcome extends Outcome {
  readonly determining: readonly Determining[];
  readonly tree: EffectTree;
  readonly nearMisses: readonly NearMiss[];
}

/** Decides and explains. The effect is that of {@link decide}. */
export function explain(policies: CompiledPolicies, request: EngineRequest): ExplainedOutcome {
  const steps = explainInSteps(policies, request);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** How many times an explanation looks at a statement, roughly: what tells a long one from a short one. */
export function explanationSize(policies: CompiledPolicies, required: RequiredPermissions): number {
  return policies.size * nodesOf(required).length;
}

/** Explains step by step, since a tree of many leaves over many statements takes seconds. */
export function* explainInSteps(
  policies: CompiledPolicies,
  request: EngineRequest,
): Generator<void, ExplainedOutcome> {
  const effects = new Map<RequiredPermissions, Effect>();
  const outcome = decide(policies, request, (node, effect) => effects.set(node, effect));
  const decided = [...effects].filter(([, effect]) => effect === outcome.effect).map(([node]) => node);
  const leaves = decided.filter((node) => "action" in node);
  const determining = new Map<string, Determining>();
  const ordered = new OrderedStatements(policies, request.user);
  const denying = outcome.effect === "deny";
  // The first deny ends a tree, but without it another leaf's would: all of them keep the decision what it is.
  const nodes = denying ? nodesOf(request.required) : outcome.effect === "allow" ? decided : [];
  for (const node of nodes) {
    for (const one of yield* determiningStatements(ordered, node, request, denying)) {
      determining.set(`${one.statement} ${one.policy}`, one);
    }
  }
  return {
    ...outcome,
    determining: [...determining.values()],
    tree: withEffects(request.required, effects),
    nearMisses: outcome.effect === "neutral" ? yield* nearMissesInSteps(ordered, leaves, request) : [],
  };
}

/** A tree's nodes, all of them. */
function nodesOf(node: RequiredPermissions): readonly RequiredPermissions[] {
  const children = "and" in node ? node.and : "or" in node ? node.or : [];
  return [node, ...children.flatMap(nodesOf)];
}

function withEffects(
  node: RequiredPermissions,
  effects: ReadonlyMap<RequiredPermissions, Effect>,
): EffectTree {
  const effect = effects.get(node);
  const own = effect === undefined ? {} : { effect };
  if ("and" in node) return { and: node.and.map((child) => withEffects(child, effects)), ...own };
  if ("or" in node) return { or: node.or.map((child) => withEffects(child, effects)), ...own };
  return { ...node, ...own };
}

/** The statements that decided a node; none for a node that only gathers others. */
function* determiningStatements(
  ordered: OrderedStatements,
  node: RequiredPermissions,
  request: EngineRequest,
  denying: boolean,
): Generator<void, Determining[]> {
  if ("action" in node) return yield* leafStatements(ordered, node, request, denying);
  // The gate ignores denies: it is open or not (evaluation.md §10).
  return "any_resource" in node && !denying ? yield* gateStatements(ordered, node.any_resource.action) : [];
}

/** All statements that open the gate of list filtering, whatever their resource (evaluation.md §10). */
function* gateStatements(ordered: OrderedStatements, action: string): Generator<void, Determining[]> {
  const found: Determining[] = [];
  let seen = 0;
  for (const statement of ordered.matching(action)) {
    if (++seen % STEP === 0) yield;
    if (statement.policy.statement[statement.index]?.effect !== "allow") continue;
    const pattern = matchingAction(statement, action.toWellFormed());
    if (pattern !== undefined) found.push(describe(statement, pattern, undefined));
  }
  return found;
}

/**
 * All statements that allow, or all that deny: without them the decision would be another. A statement that cannot
 * be evaluated denies everything and is named with its whole resource text and no action.
 */
function* leafStatements(
  ordered: OrderedStatements,
  leaf: RequiredLeaf,
  request: EngineRequest,
  denying: boolean,
): Generator<void, Determining[]> {
  const found: Determining[] = [];
  const asked = aboutLeaf(request, leaf);
  let seen = 0;
  yield;
  for (const statement of denying ? ordered.matchingOrFailing(leaf.action) : ordered.matching(leaf.action)) {
    if (++seen % STEP === 0) yield;
    if (denying && fails(statement, asked)) found.push(describe(statement, "", undefined));
    else if (statement.deny === denying) {
      const match = matchOf(ordered, statement, leaf, asked);
      if (match !== undefined) found.push(describe(statement, match.action, match.resource));
    }
  }
  return found;
}

/** The first statement that allows one permission, where it is allowed: what a list of users names. */
export function* firstAllowing(
  policies: CompiledPolicies,
  leaf: RequiredLeaf,
  request: Omit<EngineRequest, "required">,
): Generator<void, CompiledStatement | undefined> {
  const ordered = new OrderedStatements(policies, request.user);
  let seen = 0;
  for (const statement of ordered.matching(leaf.action)) {
    if (++seen % STEP === 0) yield;
    if (!statement.deny && matchOf(ordered, statement, leaf, request) !== undefined) return statement;
  }
  return undefined;
}

function describe(statement: CompiledStatement, action: string, resource: string | undefined): Determining {
  const { policy, index } = statement;
  const written = policy.statement[index];
  return {
    policy: policy.name,
    statement: index,
    effect: written?.effect ?? "",
    action,
    resource: resource ?? written?.resource ?? "",
  };
}

/** True when the statement's evaluation is an error, which denies every request (evaluation.md §2.1, §2.2). */
function fails({ condition, resources }: CompiledStatement, { context, user }: EngineRequest): boolean {
  const result = condition?.evaluate(context, user) ?? "satisfied";
  return result === "error" || (resources === undefined && result !== "unsatisfied");
}

/** Looks at the resources first: they tell most statements apart, and soonest. */
function matchOf(
  { policies, resources }: OrderedStatements,
  statement: CompiledStatement,
  leaf: RequiredLeaf,
  { user, context }: Omit<EngineRequest, "required">,
): { readonly action: string; readonly resource: string } | undefined {
  const onlyDenies = onlyDeniesOwn(policies, user) && !statement.deny;
  const resource = statement.resources?.find(
    (pattern) =>
      !(onlyDenies && pattern.includes(USER_PLACEHOLDER)) && resources.matches(pattern, leaf.resource),
  );
  if (resource === undefined) return undefined;
  const action = matchingAction(statement, leaf.action.toWellFormed());
  if (action === undefined) return undefined;
  const result = statement.condition?.evaluate(context, user) ?? "satisfied";
  if (result === "unsatisfied" || (result === "unreadable" && !statement.deny)) return undefined;
  return { action, resource };
}
