/**
 * Decisions about trees of required permissions (spec/evaluation §8) and the texts of refusals (spec/evaluation §9). A leaf
 * names one resource or a set. A deny wins over an allow at any position; a statement that cannot be evaluated denies.
 */

import type { ConditionFields, Effect, Outcome } from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import { type CompiledStatement, matchingAction } from "../statement.ts";
import type { DecidingStatements, LeafFindings } from "./deciding-place.ts";

/** A leaf about an `R`. */
export interface Leaf<R> {
  readonly action: string;
  readonly resource: R;
}

/** A tree with such leaves. */
type Tree<R> =
  | Leaf<R>
  | { readonly any_resource: { readonly action: string } }
  | { readonly and: readonly Tree<R>[] }
  | { readonly or: readonly Tree<R>[] };

/** One decision about a tree. */
export interface Question<R> {
  readonly policies: CompiledPolicies;
  readonly user: string;
  readonly context: ConditionFields;
  /** Condition fields of a resource, if resources have different fields. */
  readonly contextOf: ((resource: R) => ConditionFields) | undefined;
  /** The result of the policies for a leaf with its condition fields. Read it before the next call. */
  readonly look: (leaf: Leaf<R>, question: Question<R>, context: ConditionFields) => LeafFindings;
  /** Called with the effect of each evaluated node. */
  readonly observe: ((node: Tree<R>, effect: Effect) => void) | undefined;
  /** Filled with the action patterns of explicit denies, which a refusal names. */
  readonly denied: string[];
  /** Filled with the required actions of neutral leaves. */
  readonly missing: string[];
  /** Filled, if given, with the statement that decided each evaluated leaf. */
  readonly decidedBy: DecidingStatements | undefined;
}

const REFUSED = "insufficient permissions: ";
const ALLOWED: Outcome = { effect: "allow" };
const FAILED: Outcome = { effect: "deny", message: `${REFUSED}not allowed` };

/** Decides about a tree. */
export function decideTree<R>(tree: Tree<R>, question: Question<R>): Outcome {
  const effect = decideNode(tree, question);
  return effect === "allow" ? ALLOWED : { effect, message: refusalText(question) };
}

/** The outcome for a single permission: that of {@link decideTree} for a tree of this leaf alone. */
export function decideLeaf(action: string, { deny, failure, allowed }: LeafFindings): Outcome {
  if (deny !== undefined) return deniedOutcome(deny, action);
  if (failure !== undefined) return FAILED;
  return allowed ? ALLOWED : prepared(NEUTRAL, "neutral", "not allowed to", action);
}

function deniedOutcome(statement: CompiledStatement, action: string): Outcome {
  return prepared(DENIED, "deny", "denied permission to", deniedAction(statement, action));
}

/** A cache of refusals by the names in them, so that a refusal costs no more than an allow. */
const NEUTRAL = new Map<string, Outcome>();
const DENIED = new Map<string, Outcome>();
/** Largest number of cached refusals of each kind. */
const MOST_PREPARED = 1_000;

function prepared(known: Map<string, Outcome>, effect: Effect, why: string, named: string): Outcome {
  let outcome = known.get(named);
  if (outcome === undefined) {
    outcome = { effect, message: `${REFUSED}${why} ${named}` };
    if (known.size >= MOST_PREPARED) known.clear();
    known.set(named, outcome);
  }
  return outcome;
}

/** The text of a refusal. It names actions of the whole tree, as the data server does. */
function refusalText({ denied, missing }: Pick<Question<unknown>, "denied" | "missing">): string {
  if (denied.length > 0) return `${REFUSED}denied permission to ${denied.join(",")}`;
  if (missing.length > 0) return `${REFUSED}not allowed to ${missing.join(",")}`;
  return `${REFUSED}not allowed`;
}

function decideNode<R>(node: Tree<R>, question: Question<R>): Effect {
  let effect: Effect;
  if ("action" in node) effect = decideLeafOf(node, question);
  else if ("and" in node) effect = decideAnd(node.and, question);
  else if ("or" in node) effect = decideOr(node.or, question);
  else if ("any_resource" in node) effect = decideGate(node.any_resource.action, question);
  else effect = "deny";
  question.observe?.(node, effect);
  return effect;
}

function decideLeafOf<R>(leaf: Leaf<R>, question: Question<R>): Effect {
  const { contextOf } = question;
  const context = contextOf === undefined ? question.context : contextOf(leaf.resource);
  const findings = question.look(leaf, question, context);
  const { deny, failure, allowed } = findings;
  question.decidedBy?.noteLeaf(findings);
  if (deny !== undefined) {
    question.denied.push(deniedAction(deny, leaf.action));
    return "deny";
  }
  if (failure !== undefined) return "deny";
  if (allowed) return "allow";
  question.missing.push(leaf.action);
  return "neutral";
}

/** The action pattern of the denying statement that a refusal names. */
function deniedAction(statement: CompiledStatement, action: string): string {
  const wellFormed = action.toWellFormed();
  return matchingAction(statement, wellFormed) ?? wellFormed;
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

function decideGate<R>(action: string, { policies, missing, decidedBy }: Question<R>): Effect {
  const wellFormed = action.toWellFormed();
  if (policies.passesGate(wellFormed)) {
    decidedBy?.note(policies.gateOpener(wellFormed));
    return "allow";
  }
  missing.push(action);
  return "neutral";
}
