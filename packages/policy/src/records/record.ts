/** The records of the decision log as they are read (spec/decision-log §1); `policies/schema/decision.schema.json`. */

import type { Assertion, Effect, RequiredPermissions, StatementName } from "../model/decision.ts";
import type { Via } from "../model/policy.ts";

/** A statement that decided. */
export interface LoggedStatement extends StatementName {
  readonly via: readonly Via[];
}

/** The caller who asked for a decision. */
interface LoggedCaller {
  /** Name of the token, the certificate or the user; "" for nobody. */
  readonly name: string;
  /** Address of the peer. */
  readonly peer?: string;
}

/** The subject of a decision. */
export interface LoggedSubject {
  readonly type: string;
  /** null for nobody. */
  readonly id: string | null;
  /** Present if the directory did not know the subject: the groups whose policies decided (spec/decision-api §8). */
  readonly asserted?: Assertion;
  /** The properties that conditions read. */
  readonly properties?: LoggedFields;
}

/** A resource: its ARN, and type and id if it was asked for by them. */
interface LoggedResource {
  readonly arn: string;
  readonly type?: string;
  readonly id?: string;
}

/** Condition fields. null: a value that no operator can read. */
export type LoggedFields = Readonly<Record<string, string | readonly string[] | null>>;

/** One decision of a batch. Revision, subject and action are those of the record unless it has its own. */
interface LoggedItem {
  readonly revision?: number;
  /** With `revision`. */
  readonly entry?: string;
  readonly subject?: LoggedSubject;
  readonly action?: string;
  readonly context?: LoggedFields;
  readonly resource: LoggedResource;
  readonly decision: boolean;
  /** Absent: allow. */
  readonly effect?: Exclude<Effect, "allow">;
  readonly determining: readonly LoggedStatement[];
  readonly error?: string;
}

/** A decision, or the decisions of one call. */
export interface LoggedDecision {
  readonly format: 1;
  readonly id: string;
  /** RFC 3339 date and time. */
  readonly at: string;
  readonly node: string;
  /** Revision of the directory that decided; of a batch, that of its first decision. */
  readonly revision: number;
  /** The first 8 characters of the id of that revision's entry; absent in records of version 0.2. */
  readonly entry?: string;
  /** Digest of the policy set. */
  readonly policy_set: string;
  readonly entrance: string;
  readonly caller: LoggedCaller;
  readonly request_id: string;
  readonly trace_id?: string;
  readonly subject: LoggedSubject;
  readonly action?: string;
  readonly resource?: LoggedResource;
  /** The tree of permissions where it has more than a leaf; null if nothing was required or nothing is known. */
  readonly required?: RequiredPermissions | null;
  /** The operation of a data server; null if no row matched. */
  readonly operation?: string | null;
  readonly context?: LoggedFields;
  /** Of a batch: true if every decision is. */
  readonly decision: boolean;
  readonly effect: Effect;
  readonly determining: readonly LoggedStatement[];
  readonly error?: string;
  readonly duration_us: number;
  /** Of a batch: its decisions, as many as are kept. */
  readonly items?: readonly LoggedItem[];
  /** Of a batch: the number of its decisions by effect. */
  readonly counts?: Readonly<Record<Effect, number>>;
}

/** A note that decisions were not recorded for want of room. */
interface LoggedLoss {
  readonly format: 1;
  readonly at: string;
  readonly node: string;
  /** Number of decisions. */
  readonly lost: number;
}

/** The last line of a closed segment. */
export interface LoggedSeal {
  readonly format: 1;
  readonly at: string;
  readonly node: string;
  readonly seal: {
    readonly chain: string;
    readonly segment: number;
    /** Number of lines before the seal. */
    readonly lines: number;
    /** Digest of the line before the seal. */
    readonly digest: string;
    /** Absent where the service has no secret key. */
    readonly hmac?: string;
  };
}

/** A line of the log. */
export type LoggedLine = LoggedDecision | LoggedLoss | LoggedSeal;

/** True for a line about decisions. */
export function isDecision(line: LoggedLine): line is LoggedDecision {
  return "id" in line;
}
