/**
 * A client of the decision API (spec/decision-api §2, spec/decision-api §3) over `fetch`. It has no dependencies and runs
 * in Node, Deno, Bun, browsers and edge runtimes.
 */

import type * as api from "@svc-authorizer/contract/decision-api.gen.ts";
import type { ActionName } from "./actions.gen.ts";
import { AnswerCache, type CacheOptions } from "./answer-cache.ts";
import {
  type AnswerForm,
  CHECK,
  EVALUATION,
  EVALUATIONS,
  indexesOf,
  METADATA,
  PLAN,
  requireForm,
  SEARCH,
  SIMULATION,
} from "./answer-forms.ts";
import { type BatchAnswer, EvaluationBatches } from "./batches.ts";
import {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  type ClientProblem,
} from "./client-error.ts";
import { type Filterer, type FilterQuestion, filterAllowed } from "./filter-allowed.ts";
import { filterStream, type StreamedFilter, type StreamedResources } from "./filter-stream.ts";
import type {
  Action,
  Check,
  CheckResult,
  ClientContext,
  DataServerRequest,
  Evaluation,
  EvaluationResult,
  Evaluations,
  Filter,
  Given,
  Simulation,
} from "./questions.ts";
import { type CallOptions, DEFAULT_TIMEOUT_MS, Transport, type TransportOptions } from "./transport.ts";
import { type WatchEvent, type WatchOptions, watchRevisions } from "./watch.ts";

export type {
  Action,
  ActionName,
  api,
  CacheOptions,
  CallOptions,
  Check,
  CheckResult,
  ClientContext,
  ClientErrorCode,
  ClientErrorDetails,
  ClientProblem,
  DataServerRequest,
  Evaluation,
  EvaluationResult,
  Evaluations,
  Filter,
  Filterer,
  FilterQuestion,
  Simulation,
  StreamedFilter,
  StreamedResources,
  WatchEvent,
  WatchOptions,
};
export { ClientError, filterAllowed };

const METADATA_PATH = "/.well-known/authzen-configuration";

/** A question of {@link AuthorizerClient.allows} that brought no answer. */
export interface UnansweredQuestion {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
}

/** The address of the service, and the ways of calling it. */
export interface ClientOptions extends TransportOptions {
  /** False: each question of {@link AuthorizerClient.allows} is a request of its own. Default true. */
  readonly batching?: boolean;
  /** Keeps answers of {@link AuthorizerClient.allows} until the directory changes; needs scope `read`. Default off. */
  readonly cache?: CacheOptions;
  /**
   * Decides in place of the service where it gave no answer to {@link AuthorizerClient.allows}. Without it the error is
   * thrown, so that nothing is allowed and nobody overlooks it.
   */
  readonly onError?: (error: ClientError, question: UnansweredQuestion) => boolean;
}

/** Options of {@link AuthorizerClient.allows}. */
export interface AllowsOptions extends CallOptions {
  readonly context?: ClientContext;
}

/** Options of calls that may explain their answer. */
export interface ExplainOptions extends CallOptions {
  /** Adds the explanation; needs scope `read`. */
  readonly explain?: boolean;
}

/**
 * Calls the decision API. Every method throws {@link ClientError} where no answer came: an error is never a permission.
 */
export class AuthorizerClient {
  readonly #transport: Transport;
  readonly #batches: EvaluationBatches;
  readonly #cache: AnswerCache | undefined;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#transport = new Transport(options);
    this.#batches = new EvaluationBatches(this.#transport);
    if (options.cache !== undefined) this.#cache = new AnswerCache(this.#transport, options.cache);
  }

  /** The highest revision of the directory that an answer carried, as `N.LOG`; undefined before the first answer. */
  get revision(): string | undefined {
    return this.#transport.revision?.text;
  }

  /** The position of that revision, as `N.LOG.ENTRY`; undefined, too, where the service does not say it. */
  get position(): string | undefined {
    return this.#transport.revision?.position;
  }

  /**
   * Returns true when the user may do the action on the resource (an ARN). Questions asked in one tick are sent as one
   * request.
   */
  async allows(
    user: string,
    action: Action,
    resource: string,
    options: AllowsOptions = {},
  ): Promise<boolean> {
    try {
      return await this.#ask(user, action, resource, options);
    } catch (error) {
      const { onError } = this.#options;
      if (onError === undefined || !(error instanceof ClientError)) throw error;
      // Nothing but true allows, also where a program without types answers.
      return (await onError(error, { user, action, resource })) === true;
    }
  }

  /** Checks required permissions. */
  async check(check: Check, options?: CallOptions): Promise<CheckResult> {
    return this.#post("/access/v1/check", CHECK, check, options);
  }

  /** Returns the indexes of the allowed resources, ascending. */
  async filter(filter: Filter, options?: CallOptions): Promise<readonly number[]> {
    const form = indexesOf(("resources" in filter ? filter.resources : filter.ids).length);
    const { allowed } = await this.#post<api.FilterAnswer>("/access/v1/filter", form, filter, options);
    return allowed;
  }

  /**
   * Yields the index of each allowed resource, ascending, while further resources are read and sent: any number of them,
   * in constant memory. The `timeout` is the longest time in which nothing moves; nothing is repeated. Runtimes must
   * stream the bodies of requests: Node, Deno and Bun do.
   * @throws ClientError where the answer is not complete, and for a resource that the service cannot read
   */
  filterStream(
    filter: StreamedFilter,
    resources: StreamedResources,
    options: CallOptions = {},
  ): AsyncGenerator<number> {
    const silence = options.timeout ?? this.#options.timeout ?? DEFAULT_TIMEOUT_MS;
    return filterStream(this.#transport, filter, resources, options, silence);
  }

  /** Decides one AuthZEN evaluation. */
  evaluate(evaluation: Evaluation, options: ExplainOptions = {}): Promise<EvaluationResult> {
    return this.#post(`/access/v1/evaluation${queryOf(options)}`, EVALUATION, evaluation, options);
  }

  /** Decides several AuthZEN evaluations in one call; the answers come in their order. */
  async evaluateMany(
    evaluations: Evaluations,
    options: ExplainOptions = {},
  ): Promise<readonly EvaluationResult[]> {
    const path = `/access/v1/evaluations${queryOf(options)}`;
    const answer = await this.#post<api.EvaluationsAnswer>(path, EVALUATIONS, evaluations, options);
    return "evaluations" in answer ? answer.evaluations : [answer];
  }

  /** Decides whether a request to a data server may pass. */
  request(request: DataServerRequest, options?: CallOptions): Promise<api.RequestAnswer> {
    return this.#post("/access/v1/request", CHECK, request, options);
  }

  /** Decides from the given policies alone, or from the user's policies with changes. */
  simulate<Answer extends api.SimulateAnswer = CheckResult & api.SimulateAnswer>(
    simulation: Simulation,
    options?: CallOptions,
  ): Promise<Answer> {
    return this.#post("/access/v1/simulate", SIMULATION, simulation, options);
  }

  /** Describes the resources on which a user may act, as patterns (spec/decision-api §3.7). */
  plan(request: Given<api.PlanRequest>, options?: CallOptions): Promise<api.Plan> {
    return this.#post("/access/v1/plan", PLAN, request, options);
  }

  /** Lists a page of the users who may do an action on a resource, each with the statement that allows it. */
  whoCan(request: Given<api.WhoCanRequest>, options?: CallOptions): Promise<api.WhoCanAnswer> {
    return this.#post("/access/v1/who-can", SEARCH, request, options);
  }

  /** Lists a page of the actions that a user may do on a resource. */
  whatCan(request: Given<api.WhatCanRequest>, options?: CallOptions): Promise<api.WhatCanAnswer> {
    return this.#post("/access/v1/what-can", SEARCH, request, options);
  }

  /** Searches users for whom an evaluation is true (AuthZEN). */
  searchSubjects(search: Given<api.SubjectSearch>, options?: CallOptions): Promise<api.EntitySearchAnswer> {
    return this.#post("/access/v1/search/subject", SEARCH, search, options);
  }

  /** Searches registered resources for which an evaluation is true (AuthZEN). */
  searchResources(search: Given<api.ResourceSearch>, options?: CallOptions): Promise<api.EntitySearchAnswer> {
    return this.#post("/access/v1/search/resource", SEARCH, search, options);
  }

  /** Searches actions for which an evaluation is true (AuthZEN). */
  searchActions(search: Given<api.ActionSearch>, options?: CallOptions): Promise<api.ActionSearchAnswer> {
    return this.#post("/access/v1/search/action", SEARCH, search, options);
  }

  /** Reads the service's AuthZEN metadata. */
  async metadata(options?: CallOptions): Promise<api.PdpMetadata> {
    const { body } = await this.#transport.get<api.PdpMetadata>(METADATA_PATH, options);
    requireForm(body, METADATA);
    return body;
  }

  /** Follows the changes of the directory until the signal ends it; needs scope `read`. */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent> {
    return watchRevisions(this.#transport, options);
  }

  /** Ends what runs in the background (the watch of the cache). A client without a cache needs no close. */
  close(): void {
    this.#cache?.close();
  }

  async #ask(user: string, action: string, resource: string, options: AllowsOptions): Promise<boolean> {
    const question = {
      subject: { type: "user", id: user },
      action: { name: action },
      resource: { type: "arn", id: resource },
      ...(options.context !== undefined && { context: options.context }),
    };
    const ask = (): Promise<BatchAnswer> =>
      this.#options.batching === false || hasOwnTerms(options)
        ? this.#single(question, options)
        : this.#batches.ask(question, options.signal);
    return this.#cache === undefined ? (await ask()).allowed : this.#cache.answer(question, ask);
  }

  async #single(question: Evaluation, options: CallOptions) {
    const { body, revision } = await this.#transport.post<EvaluationResult>(
      "/access/v1/evaluation",
      question,
      options,
    );
    requireForm(body, EVALUATION);
    return { allowed: body.decision === true, position: revision?.position };
  }

  async #post<T>(path: string, form: AnswerForm, question: unknown, options?: CallOptions): Promise<T> {
    const { body } = await this.#transport.post<T>(path, question, options);
    requireForm(body, form);
    return body;
  }
}

/** A question with a deadline or an id of its own cannot share a request with others. */
function hasOwnTerms({ timeout, requestId, traceparent }: CallOptions): boolean {
  return timeout !== undefined || requestId !== undefined || traceparent !== undefined;
}

function queryOf({ explain }: ExplainOptions): string {
  return explain === true ? "?explain=true" : "";
}
