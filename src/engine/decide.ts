/**
 * The decision: a pure, synchronous function of compiled policies and a request (evaluation.md §2, §8, §9).
 * Deny wins over allow wherever it stands; what cannot be evaluated denies.
 */

import type {
  DecisionContext,
  Effect,
  Outcome,
  RequiredLeaf,
  RequiredPermissions,
} from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { Findings, NO_STATEMENT } from "./matches.ts";
import { isWildcardName } from "./resource-pattern.ts";
import { type CompiledStatement, matchingAction } from "./statement.ts";

/** What is asked of the engine. */
export interface EngineRequest {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context: DecisionContext;
}

const REFUSED = "insufficient permissions: ";
const ALLOWED: Outcome = { effect: "allow" };
const findings = new Findings();

/** What a refusal names, collected over the whole tree as the data server does. */
interface Refusal {
  /** Action patterns of explicit denies. */
  readonly denied: string[];
  /** Required actions of neutral leaves. */
  readonly missing: string[];
}

/** Called with the effect of each node that was looked at. */
export type NodeObserver = (node: RequiredPermissions, effect: Effect) => void;

/** Decides whether the policies allow the required permissions. */
export function decide(policies: CompiledPolicies, request: EngineRequest, observe?: NodeObserver): Outcome {
  const refusal: Refusal = { denied: [], missing: [] };
  const effect = decideNode(policies, request.required, request, refusal, observe);
  return effect === "allow" ? ALLOWED : { effect, message: refusalText(refusal) };
}

/** The text of a refusal (evaluation.md §9). */
function refusalText({ denied, missing }: Refusal): string {
  if (denied.length > 0) return `${REFUSED}denied permission to ${denied.join(",")}`;
  if (missing.length > 0) return `${REFUSED}not allowed to ${missing.join(",")}`;
  return `${REFUSED}not allowed`;
}

function decideNode(
  policies: CompiledPolicies,
  node: RequiredPermissions,
  request: EngineRequest,
  refusal: Refusal,
  observe: NodeObserver | undefined,
): Effect {
  let effect: Effect;
  if ("action" in node) effect = decideLeaf(policies, node, request, refusal);
  else if ("and" in node) effect = decideAnd(policies, node.and, request, refusal, observe);
  else if ("or" in node) effect = decideOr(policies, node.or, request, refusal, observe);
  else if ("any_resource" in node) effect = decideGate(policies, node.any_resource.action, refusal);
  else effect = "deny";
  observe?.(node, effect);
  return effect;
}

function decideLeaf(
  policies: CompiledPolicies,
  leaf: RequiredLeaf,
  request: EngineRequest,
  refusal: Refusal,
): Effect {
  const { user, context } = request;
  const action = leaf.action.toWellFormed();
  findings.reset(context, policies.options.evaluator !== "data_server" && isWildcardName(user));
  policies.indexOf(action).resources.lookup(leaf.resource.toWellFormed(), user, findings);
  const { deny, allowed } = findings;
  const failure = policies.firstFailure(context);
  // The first of the two ends the check; only an explicit deny is named.
  if (deny !== NO_STATEMENT && deny < failure) {
    refusal.denied.push(matchingAction(policies.statements[deny] as CompiledStatement, action) ?? action);
    return "deny";
  }
  if (failure !== NO_STATEMENT) return "deny";
  if (allowed) return "allow";
  refusal.missing.push(leaf.action);
  return "neutral";
}

function decideAnd(
  policies: CompiledPolicies,
  children: readonly RequiredPermissions[],
  request: EngineRequest,
  refusal: Refusal,
  observe: NodeObserver | undefined,
): Effect {
  for (const child of children) {
    const effect = decideNode(policies, child, request, refusal, observe);
    if (effect !== "allow") return effect;
  }
  return "allow";
}

function decideOr(
  policies: CompiledPolicies,
  children: readonly RequiredPermissions[],
  request: EngineRequest,
  refusal: Refusal,
  observe: NodeObserver | undefined,
): Effect {
  let result: Effect = "neutral";
  for (const child of children) {
    const effect = decideNode(policies, child, request, refusal, observe);
    if (effect === "deny") return "deny";
    if (effect === "allow") result = "allow";
  }
  return result;
}

function decideGate(policies: CompiledPolicies, action: string, refusal: Refusal): Effect {
  if (policies.indexOf(action.toWellFormed()).passesGate) return "allow";
  refusal.missing.push(action);
  return "neutral";
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
