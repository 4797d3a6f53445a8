/**
 * Decisions inside the caller's process: the directory of a service, followed into memory, and the service's own
 * engine. A question is a function call.
 */

import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import type { Effect, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { refuseUnsafe } from "../body-text.ts";
import { ClientError } from "../client-error.ts";
import type { Action, Check, CheckResult, ClientContext, Filter } from "../questions.ts";
import type { TransportOptions } from "../transport.ts";
import { DatasetError } from "./dataset-error.ts";
import { Allowance, DecisionPoint } from "./decision-point.ts";
import { Follower } from "./follower.ts";
import { asRequired } from "./required-permissions.ts";
import { stateFromDataset } from "./state-from-dataset.ts";

export { ClientError, type DatasetDocument, DatasetError };

/** The service that is followed. The token needs scope `replicate`. */
export interface FollowOptions extends TransportOptions {
  /**
   * Milliseconds without word that the state is the newest after which everything is refused; default 60,000, at least
   * 6,000, because the service gives its word every 5 seconds.
   */
  readonly maxStaleness?: number;
  /** Ends the wait for the first state. */
  readonly signal?: AbortSignal;
  /** Hears that the connection broke or could not be made; it is tried again. */
  readonly onError?: (error: ClientError) => void;
}

/** Options of decisions from a data set. */
export interface DatasetOptions {
  /** `authorizer.partition`; default `svc`. */
  readonly partition?: string;
}

/** Reasons of refusals that no policy decided. */
export type RefusalReason = "unknown_user" | "stale" | "closed";

/** An answer, as that of `POST /access/v1/check`. */
export interface EmbeddedResult extends Omit<CheckResult, "reason"> {
  readonly allowed: boolean;
  readonly effect: Effect;
  readonly message?: string;
  readonly reason?: RefusalReason;
}

/** The source of the state. */
interface Source {
  readonly point: DecisionPoint | undefined;
  readonly revision: string | undefined;
  readonly position: string | undefined;
  readonly staleness: number;
  close(): void;
}

const DEFAULT_MAX_STALENESS_MS = 60_000;
const LEAST_MAX_STALENESS_MS = 6_000;
const ALLOWED: EmbeddedResult = { allowed: true, effect: "allow" };
const REFUSED = "insufficient permissions: ";
const UNKNOWN_USER: EmbeddedResult = refusal("unknown_user", "unknown user");
const UNKNOWN_GROUPS: EmbeddedResult = refusal(
  "unknown_user",
  "unknown user; a decision point gives nothing for groups of a question, ask the service",
);
const CLOSED: EmbeddedResult = refusal("closed", "the decision point is closed");
const STALE: EmbeddedResult = refusal(
  "stale",
  "the decision point was without contact to the service for too long",
);

function refusal(reason: RefusalReason, text: string): EmbeddedResult {
  return { allowed: false, effect: "neutral", message: REFUSED + text, reason };
}

/** Nobody here verifies tokens: to decide without would believe one that does not hold. */
function refuseToken(token: string | undefined): void {
  if (token !== undefined) {
    throw new TypeError(
      "a decision point verifies no tokens of users: ask the service with an AuthorizerClient",
    );
  }
}

/** A decision point inside this process. */
export class EmbeddedAuthorizer {
  readonly #source: Source;
  readonly #maxStaleness: number;
  #closed = false;

  private constructor(source: Source, maxStaleness: number) {
    this.#source = source;
    this.#maxStaleness = maxStaleness;
  }

  /**
   * Follows a service. Resolves when the first state is there; from then on the decision point follows each change,
   * connects again by itself, and refuses everything once it was without contact for longer than `maxStaleness`.
   * @throws ClientError where the service refuses the token; the signal's reason
   */
  static async follow(options: FollowOptions): Promise<EmbeddedAuthorizer> {
    const { maxStaleness = DEFAULT_MAX_STALENESS_MS, signal } = options;
    signal?.throwIfAborted();
    if (!(maxStaleness >= LEAST_MAX_STALENESS_MS)) {
      throw new RangeError(`maxStaleness: expected at least ${LEAST_MAX_STALENESS_MS} milliseconds`);
    }
    const follower = new Follower(options, options.onError);
    const abort = (): void => follower.close();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      await follower.ready;
    } catch (error) {
      follower.close();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
    return new EmbeddedAuthorizer(follower, maxStaleness);
  }

  /**
   * Decides from a data set alone, without a service.
   * @throws DatasetError with all problems of the data set; TypeError for a number that may not be what is meant
   */
  static fromDataset(
    document: DatasetDocument,
    { partition = "svc" }: DatasetOptions = {},
  ): EmbeddedAuthorizer {
    refuseUnsafe(document);
    const settings = { partition, request_properties: "fill", policies_per_user: 10_000 } as const;
    const point = new DecisionPoint(stateFromDataset(document, partition), settings);
    const source = { point, revision: undefined, position: undefined, staleness: 0, close: () => undefined };
    return new EmbeddedAuthorizer(source, Number.POSITIVE_INFINITY);
  }

  /** The revision of the directory that decisions are made from, as `N.LOG`; undefined for a data set. */
  get revision(): string | undefined {
    return this.#source.revision;
  }

  /** The position of that revision, as `N.LOG.ENTRY`; undefined, too, where the service does not say it. */
  get position(): string | undefined {
    return this.#source.position;
  }

  /** Milliseconds since the state was known to be the newest; 0 for a data set. */
  get staleness(): number {
    return this.#source.staleness;
  }

  /** Returns true when the user may do the action on the resource (an ARN). */
  allows(user: string, action: Action, resource: string, context?: ClientContext): boolean {
    return this.#decide(user, { action, resource }, context).allowed;
  }

  /**
   * Checks required permissions; the answer has the reason of a refusal. The users are those of the directory: groups in
   * the question count for nothing, and the answer about an unknown user says so.
   * @throws TypeError for a token of the user, which only the service verifies; RangeError for more work than the
   * service would do
   */
  check({ user, groups, token, required, context }: Check): EmbeddedResult {
    refuseToken(token);
    const result = this.#decide(user, asRequired(required), context ?? undefined);
    return result === UNKNOWN_USER && groups !== undefined ? UNKNOWN_GROUPS : result;
  }

  /**
   * Returns the indexes of the allowed resources, ascending. The users are those of the directory, as for a check.
   * @throws ClientError where the point cannot decide (`stale`; `unavailable` once it is closed): a list has no reason, and
   * an empty one would say that nothing is allowed; TypeError for ids of a type in place of ARNs, and for a token of the user;
   * RangeError for more work than the service would do
   */
  filter(filter: Filter): number[] {
    if (!("resources" in filter)) throw new TypeError("filter takes ARNs as resources");
    const { user, token, action, resources, context } = filter;
    refuseToken(token);
    // Once for all of them: a list must not be cut where the time is over.
    const point = this.#point();
    if (!(point instanceof DecisionPoint)) throw undecided(point);
    const allowance = new Allowance();
    const allowed: number[] = [];
    for (const [index, resource] of resources.entries()) {
      if (decided(point, user, { action, resource }, context ?? undefined, allowance).allowed)
        allowed.push(index);
    }
    return allowed;
  }

  /** Ends the connection; everything is refused from then on. */
  close(): void {
    this.#closed = true;
    this.#source.close();
  }

  #decide(user: string, required: RequiredPermissions, context: ClientContext | undefined): EmbeddedResult {
    const point = this.#point();
    return point instanceof DecisionPoint ? decided(point, user, required, context) : point;
  }

  /** The point, or the refusal of everything. */
  #point(): DecisionPoint | EmbeddedResult {
    if (this.#closed) return CLOSED;
    const { point } = this.#source;
    return point === undefined || this.#source.staleness > this.#maxStaleness ? STALE : point;
  }
}

function undecided({ reason, message = "" }: EmbeddedResult): ClientError {
  return new ClientError(0, message.slice(REFUSED.length), [], {
    code: reason === "closed" ? "unavailable" : "stale",
  });
}

function decided(
  point: DecisionPoint,
  user: string,
  required: RequiredPermissions,
  context: ClientContext | undefined,
  allowance?: Allowance,
): EmbeddedResult {
  refuseUnsafe(context);
  const outcome = point.decide(user, required, context as Properties | undefined, allowance);
  if (outcome === undefined) return UNKNOWN_USER;
  if (outcome.effect === "allow") return ALLOWED;
  const { effect, message } = outcome;
  return { allowed: false, effect, ...(message !== undefined && { message }) };
}
