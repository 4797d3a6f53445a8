/**
 * Trees of required permissions (evaluation.md §8) and the text of a refusal (evaluation.md §9), whatever a leaf asks about: one
 * resource or a set of them. Deny wins over allow wherever it stands; what cannot be evaluated denies.
 */

import type { ConditionFields, Effect, Outcome } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import { NO_STATEMENT } from "./matches.ts";
import { type CompiledStatement, matchingAction } from "./statement.ts";

/** A leaf that asks about an `R`. */
export interface Leaf<R> {
  readonly action: string;
  readonly resource: R;
}

/** A tree with such leaves. */
export type Tree<R> =
  | Leaf<R>
  | { readonly any_resource: { readonly action: string } }
  | { readonly and: readonly Tree<R>[] }
  | { readonly or: readonly Tree<R>[] };

/** What the statements that match a leaf say. */
export interface LeafFindings {
  /** Order of the first statement that denies, or {@link NO_STATEMENT}. */
  readonly deny: number;
  readonly allowed: boolean;
}

/** One decision about a tree. */
export interface Question<R> {
  readonly policies: CompiledPolicies;
  readonly user: string;
  readonly context: ConditionFields;
  /** Condition fields of a resource, where not all resources have the same. */
  readonly contextOf: ((resource: R) => ConditionFields) | undefined;
  /** What the policies say of a leaf with its condition fields; the result is read before the next call. */
  readonly look: (leaf: Leaf<R>, question: Question<R>, context: ConditionFields) => LeafFindings;
  /** Called with the effect of each node that was looked at. */
  readonly observe: ((node: Tree<R>, effect: Effect) => void) | undefined;
  /** Filled with the action patterns of explicit denies, which a refusal names. */
  readonly denied: string[];
  /** Filled with the required actions of neutral leaves. */
  readonly missing: string[];
}

const REFUSED = "insufficient permissions: ";
const ALLOWED: Outcome = { effect: "allow" };

/** Decides about a tree. */
export function decideTree<R>(tree: Tree<R>, question: Question<R>): Outcome {
  const effect = decideNode(tree, question);
  return effect === "allow" ? ALLOWED : { effect, message: refusalText(question) };
}

/** The text of a refusal; what it names is collected over the whole tree, as the data server does. */
function refusalText({ denied, missing }: Pick<Question<unknown>, "denied" | "missing">): string {
  if (denied.length > 0) return `${REFUSED}denied permission to ${denied.join(",")}`;
  if (missing.length > 0) return `${REFUSED}not allowed to ${missing.join(",")}`;
  return `${REFUSED}not allowed`;
}

function decideNode<R>(node: Tree<R>, question: Question<R>): Effect {
  let effect: Effect;
  if ("action" in node) effect = decideLeaf(node, question);
  else if ("and" in node) effect = decideAnd(node.and, question);
  else if ("or" in node) effect = decideOr(node.or, question);
  else if ("any_resource" in node) effect = decideGate(node.any_resource.action, question);
  else effect = "deny";
  question.observe?.(node, effect);
  return effect;
}

function decideLeaf<R>(leaf: Leaf<R>, question: Question<R>): Effect {
  const { policies, contextOf } = question;
  const context = contextOf === undefined ? question.context : contextOf(leaf.resource);
  const { deny, allowed } = question.look(leaf, question, context);
  const failure = policies.firstFailure(context, question.user);
  // The first of the two ends the check; only an explicit deny is named.
  if (deny !== NO_STATEMENT && deny < failure) {
    const action = leaf.action.toWellFormed();
    question.denied.push(matchingAction(policies.statements[deny] as CompiledStatement, action) ?? action);
    return "deny";
  }
  if (failure !== NO_STATEMENT) return "deny";
  if (allowed) return "allow";
  question.missing.push(leaf.action);
  return "neutral";
}

function decideAnd<R>(children: readonly Tree<R>[], question: Question<R>): Effect {
  for (const child of children) {
    const effect = decideNode(child, question);
    if (effect !== "allow") return effect;
  }
  return "allow";
}

function decideOr<R>(children: readonly Tree<R>[], question: Question<R>): Effect {
  let result: Effect = "neutral";
  for (const child of children) {
    const effect = decideNode(child, question);
    if (effect === "deny") return "deny";
    if (effect === "allow") result = "allow";
  }
  return result;
}

function decideGate<R>(action: string, { policies, missing }: Question<R>): Effect {
  if (policies.indexOf(action.toWellFormed()).passesGate) return "allow";
  missing.push(action);
  return "neutral";
}
