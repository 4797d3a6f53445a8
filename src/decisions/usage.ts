/**
 * Port: counts of what decisions use (decision-log.md §5.1). `decision-log` implements it. It is told of every decision on
 * which somebody may act, whether or not the decision gets a record.
 */

import type { CompiledStatement } from "../engine/statement.ts";
import type { RequiredPermissions } from "../model/decision.ts";
import type { DecidingPolicies } from "./decision-log.ts";

/** A user who is decided about. */
export interface UsingUser extends DecidingPolicies {
  readonly username: string;
  /** Internal id, never reused; "" for a subject that the directory does not know. */
  readonly userId: string;
}

/** Counts use. Each call takes well under a microsecond and never throws. */
export interface DecisionUsage {
  /**
   * Counts a decision, and the statements that decided it.
   * @param required what was required; null if nothing was
   */
  decided(
    user: UsingUser,
    required: RequiredPermissions | null,
    decidedBy: readonly CompiledStatement[] | undefined,
  ): void;
  /** Counts a decision about one permission. */
  decidedOne(user: UsingUser, action: string, statement: CompiledStatement | undefined): void;
  /** Counts that a data server, which decides by itself, was given the policies of a user. */
  served(user: Pick<UsingUser, "username" | "userId">): void;
}
