/**
 * The decision: a synchronous function of compiled policies and a request (spec/evaluation §2, spec/evaluation §8,
 * spec/evaluation §9), which changes nothing but what its caller gives it to fill in. A deny wins over an allow at any
 * position; a statement that cannot be evaluated denies.
 */

import type { ConditionFields, Effect, Outcome, RequiredPermissions } from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import { buildMissingInSteps, holdInSteps, releaseInSteps } from "../compile/held-indexes.ts";
import type { PolicySet } from "../compile/policy-set.ts";
import { isWildcardName } from "../patterns/resource-pattern.ts";
import { finish, PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import { ConditionResults } from "./condition-results.ts";
import { decideLeaf, decideTree, type Leaf, type Question } from "./decide-tree.ts";
import type { DecidingStatements, LeafFindings } from "./deciding-place.ts";
import { type LookedUp, Lookup, MOST_AT_ONCE } from "./lookup.ts";

/** The input of a decision. */
export interface EngineRequest {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context: ConditionFields;
  /** Condition fields of a resource, if the resources of the tree have different fields. */
  readonly contextOf?: (resource: string) => ConditionFields;
  /**
   * Filled, if given, with the statement that decided each evaluated leaf: the first that denies or fails, else the
   * first that allows, in evaluation order.
   */
  readonly decidedBy?: DecidingStatements;
}

/** The request as one of its leaves sees it. */
export function aboutLeaf<R extends Omit<EngineRequest, "required">>(request: R, leaf: Leaf<string>): R {
  const { contextOf } = request;
  return contextOf === undefined ? request : { ...request, context: contextOf(leaf.resource) };
}

/** Called with the effect of each evaluated node. */
type NodeObserver = (node: RequiredPermissions, effect: Effect) => void;

/**
 * As {@link decide} for one permission; the look-up then knows the place of the statement that decided. Undefined where
 * conditions are long for these fields: then {@link decideInSteps} decides.
 */
export function decideOne(
  policies: CompiledPolicies,
  required: Leaf<string>,
  { user, context }: Pick<EngineRequest, "user" | "context">,
  lookup: Lookup,
): Outcome | undefined {
  const findings = lookUp(lookup, required, { policies, user }, context, MOST_AT_ONCE);
  return findings.deferred === undefined ? decideLeaf(required.action, findings) : undefined;
}

/**
 * As {@link decide}, for a tree of few leaves. Undefined where conditions are long for these fields: then
 * {@link decideInSteps} decides.
 */
export function decideAtOnce(
  policies: CompiledPolicies,
  request: EngineRequest,
  lookup: Lookup,
): Outcome | undefined {
  const { required, user, context, contextOf, decidedBy } = request;
  if ("action" in required && contextOf === undefined) {
    const findings = lookUp(lookup, required, { policies, user }, context, MOST_AT_ONCE);
    if (findings.deferred !== undefined) return undefined;
    decidedBy?.noteLeaf(findings);
    return decideLeaf(required.action, findings);
  }
  let isLong = false;
  const lookAt: Question<string>["look"] = (leaf, question, context) => {
    const findings = lookUp(lookup, leaf, question, context, MOST_AT_ONCE);
    isLong ||= findings.deferred !== undefined;
    return findings;
  };
  const outcome = decideTree(required, questionOf(policies, request, lookAt, undefined));
  if (!isLong) return outcome;
  // What was noted depends on results that are not known.
  decidedBy?.clear();
  return undefined;
}

/**
 * Decides whether the policies allow the required permissions.
 * @param lookup the caller's, for one who decides often; default a new one
 */
export function decide(policies: CompiledPolicies, request: EngineRequest, lookup = new Lookup()): Outcome {
  const { required, user, context, contextOf } = request;
  if ("action" in required && contextOf === undefined) {
    const findings = lookUp(lookup, required, { policies, user }, context);
    request.decidedBy?.noteLeaf(findings);
    return decideLeaf(required.action, findings);
  }
  const lookAt: Question<string>["look"] = (leaf, question, fields) => lookUp(lookup, leaf, question, fields);
  return decideTree(required, questionOf(policies, request, lookAt, undefined));
}

/**
 * Decides step by step: for trees of many leaves, and for policies with many patterns that have to be tried one by one.
 * The outcome is that of {@link decide}.
 */
export function* decideInSteps(
  policies: CompiledPolicies,
  request: EngineRequest,
  observe?: NodeObserver,
): Steps<Outcome> {
  const actions = actionsOf(request.required);
  const wanted = { sets: policies.sets, actions };
  const held: PolicySet[] = [];
  try {
    yield* holdInSteps(wanted, held);
    yield* buildMissingInSteps(wanted);
    if (policies.filters !== undefined) yield* policies.filters.makeMissingInSteps(actions);
    const found = yield* findInSteps(policies, request);
    const known: Question<string>["look"] = (leaf) => found.get(leaf) as LeafFindings;
    return decideTree(request.required, questionOf(policies, request, known, observe));
  } finally {
    finish(releaseInSteps({ sets: held, actions }));
  }
}

/** Finds the result of the policies for each leaf. */
function* findInSteps(
  policies: CompiledPolicies,
  request: EngineRequest,
): Steps<ReadonlyMap<Leaf<string>, LeafFindings>> {
  const found = new Map<Leaf<string>, LeafFindings>();
  // Where all leaves have the same condition fields, each condition is evaluated once.
  const results = new ConditionResults(request.user);
  const lookup = new Lookup();
  let work = 0;
  for (const leaf of leavesOf(request.required)) {
    const { findings, units } = yield* findLeafInSteps(
      policies,
      leaf,
      aboutLeaf(request, leaf),
      results,
      lookup,
    );
    found.set(leaf, findings);
    work += units + PER_ITEM;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  yield work;
  return found;
}

/** The result of the policies for one leaf, with the units of work that are still to be spent. */
export function* findLeafInSteps(
  policies: CompiledPolicies,
  leaf: Leaf<string>,
  { user, context, decidedBy }: Omit<EngineRequest, "required">,
  results: ConditionResults,
  lookup: Lookup,
): Steps<{ readonly findings: LeafFindings; readonly units: number }> {
  const looker = { user, context, userOnlyDenies: onlyDeniesOwn(policies, user) };
  const looked = yield* lookup.lookInSteps(policies, leaf, looker, results);
  const { deny, failure, allowed } = looked;
  const allow = decidedBy === undefined ? undefined : looked.allow;
  return { findings: { deny, failure, allowed, allow }, units: looked.work };
}

function questionOf(
  policies: CompiledPolicies,
  { user, context, contextOf, decidedBy }: EngineRequest,
  lookAt: Question<string>["look"],
  observe: NodeObserver | undefined,
): Question<string> {
  return { policies, user, context, contextOf, look: lookAt, observe, denied: [], missing: [], decidedBy };
}

/**
 * The result of the policies for one resource. It holds until the next call with the same look-up.
 * @param most units of work that conditions may take; default unlimited
 */
function lookUp(
  lookup: Lookup,
  leaf: Leaf<string>,
  { policies, user }: Pick<Question<string>, "policies" | "user">,
  context: ConditionFields,
  most = Number.POSITIVE_INFINITY,
): LookedUp {
  const userOnlyDenies = onlyDeniesOwn(policies, user);
  return lookup.look(policies, leaf, { user, context, userOnlyDenies, known: undefined, most });
}

/** True when statements with `${user}` only deny: the name would act as a wildcard (spec/security §3.1). */
export function onlyDeniesOwn(policies: CompiledPolicies, user: string): boolean {
  return policies.options.evaluator !== "data_server" && isWildcardName(user);
}

/** A tree with at most this many leaves is decided in one go: well under a millisecond. */
const SHORT_TREE = 64;

/** True if a tree is small enough to be decided in one go. */
export function isShort(required: RequiredPermissions): boolean {
  if ("action" in required) return true;
  let leaves = 0;
  for (const _ of askedActions(required)) if (++leaves > SHORT_TREE) return false;
  return true;
}

/** The action of each leaf of a tree, also of those about any resource, as it is looked up. */
function* askedActions(node: RequiredPermissions): Generator<string> {
  if ("action" in node) yield node.action.toWellFormed();
  else if ("any_resource" in node) yield node.any_resource.action.toWellFormed();
  else for (const child of "and" in node ? node.and : (node.or ?? [])) yield* askedActions(child);
}

/** The leaves of a tree. */
function* leavesOf(required: RequiredPermissions): Generator<Leaf<string>> {
  if ("action" in required) yield required;
  else if ("and" in required) for (const child of required.and) yield* leavesOf(child);
  else if ("or" in required) for (const child of required.or) yield* leavesOf(child);
}

/** The distinct actions of a tree. */
export function actionsOf(required: RequiredPermissions): ReadonlySet<string> {
  return new Set(askedActions(required));
}
