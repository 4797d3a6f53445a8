/**
 * Questions and answers of the policy decision point (evaluation.md §1, evaluation.md §8; decision-api.md §3,
 * decision-api.md §5).
 */

import type { Via } from "./policy.ts";

/** One required permission. */
export interface RequiredLeaf {
  readonly action: string;
  readonly resource: string;
}

/** Holds when some statement allows the action on any resource (the gate of list filtering, evaluation.md §10). */
export interface RequiredAnyResource {
  readonly any_resource: { readonly action: string };
}

/** The tree of permissions a request needs (evaluation.md §8). */
export type RequiredPermissions =
  | RequiredLeaf
  | RequiredAnyResource
  | { readonly and: readonly RequiredPermissions[] }
  | { readonly or: readonly RequiredPermissions[] };

/** Stands for a value that is there and that no operator can read, such as an object (security.md §3.2). */
export const UNREADABLE: unique symbol = Symbol("unreadable");

/** Value of a condition field: a text, a list of texts, or what cannot be read. A missing field has none. */
export type FieldValue = string | readonly string[] | typeof UNREADABLE;

/**
 * Condition fields of a request: a Map, since names come from callers. A list value has several values: only the
 * forms `ForAnyValue:` and `ForAllValues:` read it, for every other operator it is an evaluation error.
 */
export type DecisionContext = ReadonlyMap<string, FieldValue>;

/** Condition fields as a decision looks them up: those of a request, or with registered attributes over or under them. */
export type ConditionFields = Pick<DecisionContext, "get" | "has">;

/** Result of an evaluation. Only `allow` lets a request pass. */
export type Effect = "allow" | "neutral" | "deny";

/** What was decided, without explanation. */
export interface Outcome {
  readonly effect: Effect;
  /** Text of evaluation.md §9, absent when allowed. */
  readonly message?: string;
}

/** What a variable in a condition value, such as `${subject.team}`, stood for. */
export interface VariableValue {
  readonly variable: string;
  /** Absent: the variable has no single text as its value. */
  readonly given?: string;
}

/** One field under one operator of a condition: what the statement wanted and what the request gave. */
export interface ConditionTest {
  readonly operator: string;
  /** "" for an unknown operator without fields. */
  readonly field: string;
  /** Values of the policy, as written: at most 20, each cut after 256 characters. */
  readonly wanted: readonly string[];
  /** Number of values in the policy, where there are more than shown. */
  readonly wanted_total?: number;
  /** Value of the request, cut as {@link wanted}; absent where it has none, or an object. */
  readonly given?: string | readonly string[];
  /** Number of values in the request, where there are more than shown. */
  readonly given_total?: number;
  /** What the variables in {@link wanted} stood for; absent without variables. */
  readonly variables?: readonly VariableValue[];
  /**
   * `error` (an address that is none, an unknown operator) denies every request; `unreadable` (a list under an
   * operator for one value, a text that is no number) concerns this statement only: an allow is ignored, a deny applies.
   */
  readonly result: "satisfied" | "unsatisfied" | "unreadable" | "error";
}

/** Where a statement stands. */
export interface StatementName {
  readonly policy: string;
  /** 0-based index of the statement in its policy. */
  readonly statement: number;
  /** The statement's own name, where it has one. */
  readonly sid?: string;
}

/** A statement that decided (decision-api.md §5). */
export interface DeterminingStatement extends StatementName {
  readonly effect: string;
  /** The action pattern that matched; "" where the statement is broken and denies everything. */
  readonly action: string;
  /** The resource pattern that matched, as written; the whole resource text where it is broken. */
  readonly resource: string;
  /** What its condition wanted and had; absent without a condition, and behind the first 100 tests. */
  readonly conditions?: readonly ConditionTest[];
  readonly via: readonly Via[];
}

/** The required tree with the effect of every node that was looked at. */
export type EffectTree =
  | (RequiredLeaf & { readonly effect?: Effect })
  | (RequiredAnyResource & { readonly effect?: Effect })
  | { readonly and: readonly EffectTree[]; readonly effect?: Effect }
  | { readonly or: readonly EffectTree[]; readonly effect?: Effect };

/** A statement that nearly allowed, for neutral decisions. */
export interface NearMiss extends StatementName {
  readonly why: "action" | "resource" | "condition";
  /** The same in words. */
  readonly detail: string;
  /** For `condition`: what it wanted and had. */
  readonly conditions?: readonly ConditionTest[];
}

/** The reason of a decision (decision-api.md §5). */
export interface Explanation {
  /** Decision id, also in the audit log. */
  readonly id: string;
  readonly effect: Effect;
  readonly determining: readonly DeterminingStatement[];
  readonly tree: EffectTree;
  readonly near_misses: readonly NearMiss[];
  readonly cache: "hit" | "miss";
  /** Digest of the policy set under `policies/`. */
  readonly policies_version: string;
  /** RFC 3339 date and time. */
  readonly evaluated_at: string;
}
