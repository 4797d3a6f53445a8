/**
 * Questions and answers of the policy decision point (spec/evaluation §1, spec/evaluation §8; spec/decision-api §3,
 * spec/decision-api §5).
 */

import type { Via } from "./policy.ts";
import type { QuestionDoubt } from "./question-judge.ts";

/** One required permission. */
export interface RequiredLeaf {
  readonly action: string;
  readonly resource: string;
}

/** Holds when some statement allows the action on any resource (the gate of list filtering, spec/evaluation §10). */
export interface RequiredAnyResource {
  readonly any_resource: { readonly action: string };
}

/** The tree of permissions a request needs (spec/evaluation §8). */
export type RequiredPermissions =
  | RequiredLeaf
  | RequiredAnyResource
  | { readonly and: readonly RequiredPermissions[] }
  | { readonly or: readonly RequiredPermissions[] };

/** A value that exists and that no operator can read, such as an object (spec/security §3.2). */
export const UNREADABLE: unique symbol = Symbol("unreadable");

/** The value of a condition field: a text, a list of texts, or an unreadable value. A missing field has no value. */
export type FieldValue = string | readonly string[] | typeof UNREADABLE;

/**
 * Condition fields of a request. It is a Map because names come from callers. Only the forms `ForAnyValue:` and
 * `ForAllValues:` read a list; for every other operator a list is an evaluation error.
 */
export type DecisionContext = ReadonlyMap<string, FieldValue>;

/**
 * The condition fields that a decision looks up: those of the request, possibly combined with registered attributes.
 */
export type ConditionFields = Pick<DecisionContext, "get" | "has">;

/** Result of an evaluation. Only `allow` lets a request pass. */
export type Effect = "allow" | "neutral" | "deny";

/** The result of a decision without its explanation. */
export interface Outcome {
  readonly effect: Effect;
  /** Text of spec/evaluation §9, absent when allowed. */
  readonly message?: string;
}

/** The value of a variable in a condition value, such as `${subject.team}`. */
export interface VariableValue {
  readonly variable: string;
  /** Absent if the variable has no single text as its value. */
  readonly given?: string;
}

/** One field under one operator of a condition: what the statement wanted and what the request gave. */
export interface ConditionTest {
  readonly operator: string;
  /** "" for an unknown operator without fields. */
  readonly field: string;
  /** Values of the policy, as written: at most 20, each cut after 256 characters. */
  readonly wanted: readonly string[];
  /** Number of values in the policy, if more than shown. */
  readonly wanted_total?: number;
  /** Value of the request, cut as {@link wanted}; absent if the request has no value or an object. */
  readonly given?: string | readonly string[];
  /** Number of values in the request, if more than shown. */
  readonly given_total?: number;
  /** The values of the variables in {@link wanted}; absent without variables. */
  readonly variables?: readonly VariableValue[];
  /**
   * `error` (a malformed address, an unknown operator) denies every request; `unreadable` (a list under an operator for
   * one value, a text that is not a number) concerns this statement only: an allow does not hold, a deny does.
   */
  readonly result: "satisfied" | "unsatisfied" | "unreadable" | "error";
}

/** The place of a statement. */
export interface StatementName {
  readonly policy: string;
  /** 0-based index of the statement in its policy. */
  readonly statement: number;
  /** The statement's own name, if it has one. */
  readonly sid?: string;
}

/** A statement that decided (spec/decision-api §5). */
export interface DeterminingStatement extends StatementName {
  readonly effect: string;
  /** The action pattern that matched; "" if the statement is broken and denies everything. */
  readonly action: string;
  /** The resource pattern that matched, as written; the whole resource text if it is broken. */
  readonly resource: string;
  /** The tests of its condition; absent without a condition, and after the first 100 tests. */
  readonly conditions?: readonly ConditionTest[];
  /** A member of the statement that this version does not know: the statement denies everything. */
  readonly unknown_member?: string;
  readonly via: readonly Via[];
}

/** The required tree with the effect of every node that was evaluated. */
export type EffectTree =
  | (RequiredLeaf & { readonly effect?: Effect })
  | (RequiredAnyResource & { readonly effect?: Effect })
  | { readonly and: readonly EffectTree[]; readonly effect?: Effect }
  | { readonly or: readonly EffectTree[]; readonly effect?: Effect };

/** A statement that nearly allowed, for neutral decisions. */
export interface NearMiss extends StatementName {
  readonly why: "action" | "resource" | "condition";
  /** The reason as a sentence. */
  readonly detail: string;
  /** For `condition`: the tests of the condition. */
  readonly conditions?: readonly ConditionTest[];
}

/** The groups whose policies decided about a subject that the directory does not know (spec/decision-api §8). */
export interface Assertion {
  /** Name of the token whose request named the groups, or the issuer of the verified token that did. */
  readonly by: string;
  /** Groups of the directory, in UTF-8 byte order. */
  readonly groups: readonly string[];
}

/** The reason of a decision (spec/decision-api §5). */
export interface Explanation {
  /** Decision id, also in the audit log. */
  readonly id: string;
  readonly effect: Effect;
  readonly determining: readonly DeterminingStatement[];
  readonly tree: EffectTree;
  readonly near_misses: readonly NearMiss[];
  /** Doubts that the question can have an answer; absent where there are none. */
  readonly doubts?: readonly QuestionDoubt[];
  /** Present if the policies are those of groups that a caller asserted (spec/decision-api §8). */
  readonly asserted?: Assertion;
  readonly cache: "hit" | "miss";
  /** Digest of the policy set under `policies/`. */
  readonly policies_version: string;
  /** RFC 3339 date and time. */
  readonly evaluated_at: string;
}
