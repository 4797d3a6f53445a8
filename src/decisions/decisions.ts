/**
 * The decision use cases (spec/decision-api §2, spec/decision-api §3): this file is their contract, `open-decisions.ts`
 * builds them. The answer about a cached user is returned directly, not as a promise, so the hot path needs no turn of
 * the event loop.
 */

import type {
  DecisionContext,
  Effect,
  Explanation,
  Outcome,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { NamedStatements, Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { AskedQuestion, QuestionDoubt } from "@svc-authorizer/policy/model/question-judge.ts";
import type { Waiter, WorkBudget } from "../schedule/scheduler.ts";
import type { AuthzenAction, AuthzenResource, AuthzenSubject } from "./authzen-entities.ts";
import type { AskedResource, AskingCall, DecisionBatch, DecisionLog } from "./decision-log.ts";
import type { Entrance } from "./entrances.ts";
import type { RequestAnswer, RequestCheck, UsedCredential } from "./requests.ts";
import type { Searches } from "./searches.ts";
import type { Asserter } from "./subjects/asserted-groups.ts";
import type { UnknownReason } from "./subjects/unknown-reason.ts";

/** A question about one user. */
export interface CheckRequest {
  readonly user: string;
  /** Internal id of the authenticated user. A later user of the same name then counts as unknown. */
  readonly userId?: string;
  /** Groups that the caller asserts for a user whom the directory does not know (spec/decision-api §8). */
  readonly groups?: readonly string[];
  /** A token of an identity provider for the user (spec/decision-api §8.9). */
  readonly token?: unknown;
  readonly required: RequiredPermissions;
  /** The only resource of the permissions, where it was asked for by type and id. */
  readonly resource?: AskedResource;
  readonly context: DecisionContext;
  readonly explain: boolean;
  readonly entrance: Entrance;
  readonly requestId: string;
  /** The call, for the decision log; long work ends when its caller is gone. */
  readonly call?: AskingCall;
  /** True: mirrors are not read-only for it. For calls that manage mirrors. */
  readonly managesMirrors?: boolean;
}

/** Its answer. */
export interface CheckAnswer {
  readonly effect: Effect;
  readonly message?: string;
  readonly reason?: UnknownReason;
  /** Decision id; absent for an allow on the hot path that is not audited. */
  readonly id?: string;
  readonly explanation?: Explanation;
}

/** Resources by their type and ids. */
interface NamedResources {
  readonly type: string;
  readonly ids: readonly string[];
}

/** `/filter`: selects the resources on which a user may act. */
export interface FilterRequest {
  readonly user: string;
  /** The internal id of the user who asks: where the name is nobody's or somebody else's by now, nothing is answered. */
  readonly userId?: string | undefined;
  /** As for a check. */
  readonly groups?: readonly string[];
  readonly token?: unknown;
  readonly action: string;
  readonly resources: readonly string[];
  /** The resources as they were asked for, where that was by ids of a type. */
  readonly named?: NamedResources | undefined;
  readonly context: DecisionContext;
  readonly requestId: string;
  /** The record that the decisions become a part of. */
  readonly batch?: DecisionBatch | undefined;
  /** The caller, who may assert groups. */
  readonly asserter?: Asserter;
  /** The work ends when this caller is gone. */
  readonly waiter?: Waiter;
}

/** One AuthZEN access evaluation. */
export interface EvaluationRequest {
  readonly subject: AuthzenSubject;
  readonly action: AuthzenAction;
  readonly resource: AuthzenResource;
  readonly context?: Properties;
  readonly explain: boolean;
  readonly entrance: "evaluation" | "evaluations";
  readonly requestId: string;
  /** The call, for the decision log; long work ends when its caller is gone. */
  readonly call?: AskingCall;
  /** The record that the decision becomes a part of. */
  readonly batch?: DecisionBatch;
}

/** `{"decision": true}`, or a denial with its reason in the context. Serialised as it is. */
export interface EvaluationAnswer {
  readonly decision: boolean;
  readonly context?: {
    readonly id?: string;
    readonly reason_user?: Readonly<Record<string, string>>;
    readonly reason?: string;
    readonly error?: { readonly status: number; readonly message: string };
    readonly explanation?: Explanation;
  };
}

/**
 * Returns and counts the outcome of an evaluation, or undefined if {@link Decisions.evaluate} must decide. Use it
 * within one turn of the event loop. An ambiguous id throws AuthorizerError("invalid_request").
 */
export type CachedOutcomes = (
  type: string,
  id: string,
  context?: EvaluationRequest["context"],
) => Outcome | undefined;

/** One case of `/simulate`: given policies, or a candidate change of a real user's. */
export interface SimulationCase {
  readonly user: string;
  /** The policies to decide from, unvalidated; exclusive with `candidate`. */
  readonly policies?: readonly NamedStatements[];
  /** Decide as if these policies of the user were changed. */
  readonly candidate?: { readonly replace: readonly NamedStatements[]; readonly remove: readonly string[] };
  readonly required?: RequiredPermissions;
  /** List filtering (spec/evaluation §10) instead of `required`. */
  readonly list?: { readonly action: string; readonly resource: string };
  readonly context: DecisionContext;
  readonly explain: boolean;
  readonly evaluator: "extended" | "data_server";
  readonly requestId: string;
  /** The call, for the decision log; long work ends when its caller is gone. */
  readonly call?: AskingCall;
  /** The budget of the work; by default its own. */
  readonly budget?: WorkBudget;
}

/** Its answer: as a check, or the two answers of list filtering. */
export type SimulationAnswer = CheckAnswer | { readonly any_resource: boolean; readonly listed: boolean };

/** Decides some of the questions again under a candidate, after their answers (spec/decision-log §4.2). */
export interface EvaluationShadow {
  /** True if this decision is to be made again. Ask once for a decision, because it is drawn by lot. */
  takes(): boolean;
  /** Takes an evaluation whose answer is made. */
  evaluated(request: EvaluationRequest, allowed: boolean): void;
}

/** The decision use cases. */
export interface Decisions {
  check(request: CheckRequest): CheckAnswer | Promise<CheckAnswer>;
  /** An AuthZEN evaluation; an ambiguous id throws AuthorizerError("invalid_request"). */
  evaluate(request: EvaluationRequest): EvaluationAnswer | Promise<EvaluationAnswer>;
  /**
   * Evaluations of one subject and action name, one resource after the other, for batches: see {@link CachedOutcomes}.
   * Undefined where they cannot be had at once or need more than the resource: {@link evaluate} then.
   * @param budget pays for them; an outcome that it cannot pay for throws its refusal
   * @param batch the record that the outcomes become a part of
   */
  cachedOutcomes(
    subject: Pick<AuthzenSubject, "type" | "id">,
    actionName: string,
    budget: WorkBudget,
    batch?: DecisionBatch,
  ): CachedOutcomes | undefined;
  /** A new decision id, for the answer to a refusal from {@link cachedOutcomes}. */
  decisionId(): string;
  /**
   * Indexes of the allowed resources, ascending; yields to other work at least every 10 ms. Rejects with "unauthenticated"
   * where the user is not the one of {@link FilterRequest.userId}.
   */
  filter(request: FilterRequest): Promise<readonly number[]>;
  /** A promise to await before mapping types and actions; undefined unless a data set just changed the types. */
  typesRefreshed(): Promise<void> | undefined;
  /** Doubts that a question can have an answer, by the catalog and the types of data sets (spec/decision-api §5). */
  doubts(question: AskedQuestion): Promise<readonly QuestionDoubt[]>;
  /** The ARN of an entity, or undefined for an unknown type. Throws "invalid_request" if the id makes it ambiguous. */
  resourceArn(type: string, id: string): string | undefined;
  /** `service:Verb` of an AuthZEN action name on a resource type, or undefined. */
  actionName(type: string, name: string): string | undefined;
  /** Decides about a request of a data server with the permission tables. */
  request(check: RequestCheck): RequestAnswer | Promise<RequestAnswer>;
  simulate(simulation: SimulationCase): Promise<SimulationAnswer>;
  /** A work budget of one request (`authorizer.limits.work`), shared by its use cases; its work ends when the caller is gone. */
  workBudget(waiter?: Waiter): WorkBudget;
  /**
   * The effective policies of a user in the form that data servers get (`authorizer.effective_policies`), distinct
   * by name, sorted by name in UTF-8 byte order; undefined for an unknown user. Returns the same list object until
   * something changes.
   */
  effectivePolicies(username: string): readonly Policy[] | undefined | Promise<readonly Policy[] | undefined>;
  /** The log of decisions; undefined if none are logged. */
  readonly log: DecisionLog | undefined;
  /** Has to be told of answers from {@link cachedOutcomes}; all others are. Absent if there is no candidate. */
  readonly shadow?: EvaluationShadow;
  /** The searches. */
  readonly searches: Searches;
  /** Digest of the policy set. */
  readonly policiesVersion: string;
  /** Plain numbers, read when metrics are scraped. */
  readonly counters: DecisionCounters;
  /**
   * Reads and compiles policies, those of groups and those of users with very many, before somebody asks about such users: as
   * many as are remembered, in portions between other work. Rejects if the directory cannot be read; nothing is lost then but
   * time of the first questions.
   */
  readAhead(): Promise<void>;
  /** Ends what is read ahead, and then everything. */
  close(): Promise<void>;
}

/** Counters as plain numbers: cheap on the hot path, read when metrics are scraped. */
export interface DecisionCounters {
  /** By entrance, by effect. */
  readonly decisions: Readonly<Record<Entrance, Record<Effect, number>>>;
  cacheHits: number;
  cacheMisses: number;
  cacheEvictions: number;
  /** Statements served to data servers in another form than stored. */
  portableRewritings: number;
  cacheSize(): number;
  compiledSets(): number;
}

/** One decision for the audit log. */
export interface DecisionRecord {
  readonly id: string;
  readonly request_id: string;
  readonly entrance: Entrance;
  /** null: nobody. */
  readonly user: string | null;
  /** Present if the entrance itself authenticated the caller. */
  readonly credential?: UsedCredential;
  /** For a request of a data server: its operation, or null if no row matches. */
  readonly operation?: string | null;
  /** null if nothing was required, or the request is unknown. */
  readonly required: RequiredPermissions | null;
  readonly effect: Effect;
  readonly message?: string;
}

/** Port: audits decisions (`authorizer.audit.decisions`). `observe` implements it. */
export interface DecisionAudit {
  readonly decisions: "none" | "denied" | "all";
  decision(record: DecisionRecord): void;
}
