/**
 * Port: the log of decisions (spec/decision-log §1). `decision-log` implements it. Without a log the use cases hold
 * `undefined`, and a decision costs one comparison more.
 */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import type {
  Assertion,
  ConditionFields,
  Effect,
  Outcome,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import type { Via } from "@svc-authorizer/policy/model/policy.ts";
import type { Waiter } from "../schedule/scheduler.ts";
import type { Entrance } from "./entrances.ts";
import type { Asserter } from "./subjects/asserted-groups.ts";

/**
 * The call that asks. A record names its caller, peer and trace, which are read only where a record is made. Long work
 * ends with its signal.
 */
export interface AskingCall extends Waiter {
  readonly caller: Asserter;
  /** Address of the peer, where known. */
  readonly peer: string | undefined;
  /** Milliseconds of `performance.now()`: when the request arrived. */
  readonly startedAt: number;
  /** The trace of the call in the form of `traceparent`: as it came, or as it is exported. */
  readonly traceParent: string | undefined;
}

/** A resource in the words of the caller. */
export interface AskedResource {
  readonly type: string;
  readonly id: string;
}

/** The policies that decided. */
export interface DecidingPolicies {
  readonly policies: CompiledPolicies;
  /** The ways in which a policy reaches the user. */
  readonly via: (policy: string) => readonly Via[];
  /** Present for a subject that is no user. */
  readonly asserted?: Assertion | undefined;
}

/** A decision to be recorded. */
export interface Decided {
  readonly id: string;
  readonly entrance: Entrance;
  readonly requestId: string;
  readonly call: AskingCall | undefined;
  /** Name of the subject; null for nobody. */
  readonly user: string | null;
  /** Type of the subject; absent: `user`. */
  readonly subjectType?: string | undefined;
  /** Absent if no policies were read, as for an unknown user. */
  readonly loaded: DecidingPolicies | undefined;
  /** null if nothing was required, or the request is unknown. */
  readonly required: RequiredPermissions | null;
  /** The only resource as it was asked for. */
  readonly resource?: AskedResource | undefined;
  /** The operation of a data server. */
  readonly operation?: string | null | undefined;
  readonly context: ConditionFields;
  /** The fields of each resource, where conditions read attributes of resources: those of `context` and more. */
  readonly contextOf?: ((resource: string) => ConditionFields) | undefined;
  readonly outcome: Outcome;
  /** See `decidedBy` of `EngineRequest`. */
  readonly decidedBy: readonly CompiledStatement[];
  /** The reason why nothing could be evaluated. */
  readonly error?: string | undefined;
}

/** The common part of a batch. */
export interface BatchQuestion {
  readonly entrance: Entrance;
  readonly requestId: string;
  readonly call: AskingCall | undefined;
  /** The subject and the action of a record without decisions. */
  readonly asked?: Pick<BatchSubject, "user" | "action" | "context">;
}

/** A subject and an action, for the items that follow. */
export interface BatchSubject {
  readonly user: string | null;
  readonly subjectType?: string | undefined;
  readonly action: string;
  readonly loaded: DecidingPolicies | undefined;
  /** Without `loaded`, of a subject that is no user: whose groups decided. */
  readonly asserted?: Assertion | undefined;
  readonly context: ConditionFields;
}

/** The decisions of one call, which become one record. */
export interface DecisionBatch {
  /** Names the subject and the action of the items that follow. */
  about(subject: BatchSubject): void;
  /**
   * Adds a decision about the subject.
   * @param arn the resource
   * @param asked the resource as it was asked for
   * @param statement the statement that decided
   * @param error the reason why nothing could be evaluated
   */
  add(
    outcome: Outcome,
    arn: string,
    asked?: AskedResource,
    statement?: CompiledStatement,
    error?: string,
  ): void;
  /** The id of the decision that was added last; undefined if it is none of those that get a record. */
  lastId(): string | undefined;
  /** Ends the batch: as {@link DecisionLog.decided}. Call it once, when the answer is complete. */
  end(): Promise<void> | undefined;
}

/** The log. */
export interface DecisionLog {
  /** True if nothing may be answered before its record is kept, also not a part of an answer. */
  readonly keepsFirst: boolean;
  /** True if a decision with this effect gets a record. Ask once for a decision, because a share is drawn by lot. */
  wants(effect: Effect): boolean;
  /**
   * Records a decision. Returns a promise if the answer must wait until the record is on disk.
   * @throws AuthorizerError "unavailable" if no decision may be answered without its record, and there is no room
   */
  decided(decision: Decided): Promise<void> | undefined;
  /** Begins the record of a call that decides about several resources. */
  batch(question: BatchQuestion): DecisionBatch;
}
