/**
 * The decision: a pure, synchronous function of compiled policies and a request (evaluation.md §2, evaluation.md §8, evaluation.md §9).
 * Deny wins over allow wherever it stands; what cannot be evaluated denies.
 */

import type { ConditionFields, Effect, Outcome, RequiredPermissions } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { decideTree, type Leaf, type LeafFindings, type Question } from "./decide-tree.ts";
import { Findings } from "./matches.ts";
import { isWildcardName } from "./resource-pattern.ts";

/** What is asked of the engine. */
export interface EngineRequest {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context: ConditionFields;
  /** Condition fields of a resource, where not all resources of the tree have the same. */
  readonly contextOf?: (resource: string) => ConditionFields;
}

/** The request as one of its leaves sees it. */
export function aboutLeaf<R extends Omit<EngineRequest, "required">>(request: R, leaf: Leaf<string>): R {
  const { contextOf } = request;
  return contextOf === undefined ? request : { ...request, context: contextOf(leaf.resource) };
}

const findings = new Findings();

/** Called with the effect of each node that was looked at. */
export type NodeObserver = (node: RequiredPermissions, effect: Effect) => void;

/** Decides whether the policies allow the required permissions. */
export function decide(policies: CompiledPolicies, request: EngineRequest, observe?: NodeObserver): Outcome {
  const { user, required, context, contextOf } = request;
  return decideTree(required, {
    policies,
    user,
    context,
    contextOf,
    look: lookUp,
    observe,
    denied: [],
    missing: [],
  });
}

/** What the policies say of one resource: read the result before the next call, which fills it anew. */
export function lookUp(
  leaf: Leaf<string>,
  { policies, user }: Pick<Question<string>, "policies" | "user">,
  context: ConditionFields,
): LeafFindings {
  findings.reset(context, user, onlyDeniesOwn(policies, user));
  policies.indexOf(leaf.action.toWellFormed()).resources.lookup(leaf.resource.toWellFormed(), user, findings);
  return findings;
}

/** True when statements with `${user}` only deny: the name would act as a wildcard (security.md §3.1). */
export function onlyDeniesOwn(policies: CompiledPolicies, user: string): boolean {
  return policies.options.evaluator !== "data_server" && isWildcardName(user);
}

/** True when the decision about this tree needs no index that is yet to be built. */
export function isPrepared(policies: CompiledPolicies, required: RequiredPermissions): boolean {
  return actionsOf(required).every((action) => policies.isIndexed(action));
}

/** The actions a tree asks about. */
export function actionsOf(required: RequiredPermissions): string[] {
  if ("action" in required) return [required.action.toWellFormed()];
  if ("any_resource" in required) return [required.any_resource.action.toWellFormed()];
  return ("and" in required ? required.and : (required.or ?? [])).flatMap(actionsOf);
}
