/** Changes of access that nobody has made yet, and what they would change for whom (spec/console §4.3). */

import type { DifferenceLine } from "@svc-authorizer/policy/analysis/difference/line.ts";
import type { Effect, FieldValue, StatementName } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements, Via } from "@svc-authorizer/policy/model/policy.ts";

/** Whoever holds policies: a user or a group, by name. */
export type PolicyHolder = { readonly user: string } | { readonly group: string };

/** A change of one policy, or of who holds it. */
export type AccessChange =
  | { readonly kind: "save"; readonly policy: NamedStatements }
  | { readonly kind: "delete"; readonly name: string }
  | { readonly kind: "attach" | "detach"; readonly name: string; readonly holder: PolicyHolder };

/** Requests that are answered differently after the change, with one of them. */
export interface ChangedAccess {
  /** All of them. */
  readonly line: DifferenceLine;
  /** The example. */
  readonly action?: string;
  readonly resource?: string;
  /** True for the gate of lists: the action on any resource (spec/evaluation §10). */
  readonly anyResource: boolean;
  readonly context: Readonly<Record<string, FieldValue>>;
  /** False: it depends on conditions in a way for which no example was found. */
  readonly certain: boolean;
  readonly before: Effect;
  readonly after: Effect;
  /** The statement that allows it: of a gain after the change, of a loss before it; absent where none is known. */
  readonly statement?: StatementName;
  /** The statement that denies it on the other side. */
  readonly deniedBy?: StatementName;
}

/** A change of access with those whom it concerns. */
export interface ConcernedAccess extends ChangedAccess {
  /** Number of users who hold the same policies as those with whom it was found. */
  readonly users: number;
  /** Some of their names. */
  readonly some: readonly string[];
  /** The user of the example. */
  readonly user: string;
  /** The ways in which that user holds the changed policy. */
  readonly via: readonly Via[];
}

/** Access that is gained and lost, most users first. */
export interface Changes<T> {
  readonly gains: readonly T[];
  readonly losses: readonly T[];
}

/** The effect of a change. */
export interface Impact extends Changes<ConcernedAccess> {
  /** Revision of the directory that was looked at. */
  readonly revision: number;
  /** Numbers of users. */
  readonly users: {
    /** Users whose policies change, as far as they were counted. */
    readonly affected: number;
    readonly compared: number;
    readonly gaining: number;
    readonly losing: number;
  };
  /** For a user who holds no other policy. */
  readonly alone: Changes<ChangedAccess>;
  /** The sum in a sentence. */
  readonly summary: string;
  /** Sentences about what was not looked at; empty if the answer is complete. */
  readonly leftOut: readonly string[];
}
