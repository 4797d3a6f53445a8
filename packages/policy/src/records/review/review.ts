/** A review of access for an auditor (spec/decision-log §5.4): the form of the answer, which pages and tables are made of. */

import type { StatementName } from "../../model/decision.ts";
import type { Acceptance, Via } from "../../model/policy.ts";

/** A finding of lint that a policy accepts. */
export interface ReviewedAcceptance extends Acceptance {
  readonly policy: string;
}

/** Rights on resources of one type by one statement. */
export interface ReviewedRight extends StatementName {
  readonly type: string;
  /** Short names of actions on the type: `read`, `create`. */
  readonly verbs: readonly string[];
  /** Patterns as written. */
  readonly resources: readonly string[];
  readonly via: readonly Via[];
  /** True where a condition has to hold. */
  readonly conditional: boolean;
  /** Unix seconds: when the statement was last used with one of these actions, by anybody; absent for never. */
  readonly last_used?: number;
}

/** Users with the same groups and policies, and their rights. */
export interface ReviewedAccess {
  readonly users: readonly { readonly id: string; readonly last_used?: number }[];
  readonly groups: readonly string[];
  /** Policies that are attached to the users themselves. */
  readonly policies: readonly string[];
  readonly rights: readonly ReviewedRight[];
}

/** A call by which a user gets more rights. */
export interface ReviewedStep {
  readonly operation: string;
  readonly as: string;
  readonly values: Readonly<Record<string, string>>;
  /** Statements that allow it. */
  readonly allowed_by: readonly StatementName[];
}

/** An administrator in effect: without steps, or by some. */
export interface ReviewedAdministrator {
  readonly user: string;
  readonly steps: readonly ReviewedStep[];
}

/** A change of the directory. */
export interface ReviewedChange {
  readonly revision: number;
  /** RFC 3339. */
  readonly at: string;
  readonly actors: readonly string[];
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly policies: readonly string[];
}

/** A review. */
export interface Review {
  /** RFC 3339. */
  readonly at: string;
  readonly since: string;
  readonly revision: number;
  readonly node: string;
  /** RFC 3339: since when use is counted. */
  readonly counted_since?: string;
  readonly counts: {
    readonly users: number;
    readonly groups: number;
    readonly policies: number;
    readonly keys: number;
  };
  readonly administrators: readonly ReviewedAdministrator[];
  /** Users for whom the search for steps took too long. */
  readonly undecided: readonly string[];
  readonly access: readonly ReviewedAccess[];
  /** Findings of lint that policies accept. */
  readonly accepted: readonly ReviewedAcceptance[];
  /** Keys that are older than a year. */
  readonly old_keys: readonly {
    readonly access_key_id: string;
    readonly user: string;
    readonly creation_date: number;
    readonly last_used?: number;
  }[];
  /** Newest first. */
  readonly changes: readonly ReviewedChange[];
  readonly warnings: readonly string[];
  readonly truncated: boolean;
}
