/**
 * Port: counts of what decisions use (spec/decision-log §5.1). `decision-log` implements it. It is told of every decision on
 * which somebody may act, whether or not the decision gets a record.
 */

import type { DecidingPlace } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Via } from "@svc-authorizer/policy/model/policy.ts";
import type { DecidingPolicies } from "./decision-log.ts";

/** A user who is decided about. */
export interface UsingUser extends DecidingPolicies {
  readonly username: string;
  /** Internal id, never reused; "" for a subject that the directory does not know. */
  readonly userId: string;
  /** The way in which all policies reach the user; undefined if there are several, or none. */
  readonly onlyVia: Via | undefined;
}

/** The use of one user, who counts as used with each decision. No call throws. */
export interface UserUse {
  /** Counts a decision about one permission: integers, no object and no look-up. */
  decidedOne(action: string, place: DecidingPlace): void;
  /**
   * Counts a decision, and the statements that decided it.
   * @param required what was required; null if nothing was
   */
  decided(required: RequiredPermissions | null, decidedBy: readonly CompiledStatement[] | undefined): void;
  /** Counts decisions about one action in a row, all at the time of the call: for lists. */
  inARow(action: string): UseInARow;
}

/** Counts decisions in a row. */
export interface UseInARow {
  /** Counts one. */
  decided(place: DecidingPlace): void;
}

/** Counts use. */
export interface DecisionUsage {
  /** The counts of a user; to be kept as long as the user is. */
  of(user: UsingUser): UserUse;
  /** Counts that a data server, which decides by itself, was given the policies of a user. */
  served(user: Pick<UsingUser, "username" | "userId">): void;
}
