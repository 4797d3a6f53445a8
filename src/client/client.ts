/**
 * A client of the decision API (decision-api.md §2, decision-api.md §3) over `fetch`; works in Node and other runtimes.
 */

import type { Effect, Explanation, RequiredPermissions } from "../model/decision.ts";
import type { Properties } from "../model/entities.ts";
import type { NamedStatements } from "../model/policy.ts";
import { ClientError, type ClientProblem } from "./client-error.ts";
import { HighestRevision } from "./highest-revision.ts";

export { ClientError, type ClientProblem };

/** Where the service is and how to call it. */
export interface ClientOptions {
  /** Base URL of the service listener, e.g. `http://127.0.0.1:8001`. */
  readonly url: string;
  /** Bearer token. */
  readonly token: string;
  /** Milliseconds until a call is given up; default 10,000. */
  readonly timeout?: number;
}

/** Condition fields of a native call. */
export type ClientContext = Readonly<Record<string, string | readonly string[]>>;

/** A native check (`POST /access/v1/check`). */
export interface Check {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context?: ClientContext;
  /** Needs scope `read`. */
  readonly explain?: boolean;
}

/** Its answer. */
export interface CheckResult {
  readonly allowed: boolean;
  readonly effect: Effect;
  readonly message?: string;
  readonly reason?: string;
  readonly explanation?: Explanation;
}

/** Which of many resources a user may act on (`POST /access/v1/filter`). */
export type Filter = { readonly user: string; readonly action: string; readonly context?: ClientContext } & (
  | { readonly resources: readonly string[] }
  | { readonly type: string; readonly ids: readonly string[] }
);

/** An AuthZEN access evaluation. */
export interface Evaluation {
  readonly subject: { readonly type: string; readonly id: string; readonly properties?: Properties };
  readonly action: { readonly name: string; readonly properties?: Properties };
  readonly resource: { readonly type: string; readonly id: string; readonly properties?: Properties };
  readonly context?: Properties;
}

/** An AuthZEN decision. */
export interface EvaluationResult {
  readonly decision: boolean;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Several evaluations; entities at the top are defaults of all. */
export interface Evaluations extends Partial<Evaluation> {
  readonly evaluations: readonly Partial<Evaluation>[];
  readonly options?: {
    readonly evaluations_semantic?: "execute_all" | "deny_on_first_deny" | "permit_on_first_permit";
  };
}

/** A simulation from given policies (`POST /access/v1/simulate`). */
export interface Simulation extends Check {
  readonly policies: readonly NamedStatements[];
  readonly evaluator?: "extended" | "data_server";
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Calls the decision API. Every method throws {@link ClientError} for an answer other than 2xx. */
export class AuthorizerClient {
  readonly #base: string;
  readonly #token: string;
  readonly #timeout: number;
  readonly #highest = new HighestRevision();

  constructor({ url, token, timeout = DEFAULT_TIMEOUT_MS }: ClientOptions) {
    this.#base = url.endsWith("/") ? url.slice(0, -1) : url;
    this.#token = token;
    this.#timeout = timeout;
  }

  /**
   * The highest revision `N.log` of the directory that an answer named; undefined before the first. Every call asks for
   * this one at least, whichever node a balancer leads it to.
   */
  get revision(): string | undefined {
    return this.#highest.text;
  }

  /** Makes later calls ask for a revision at least, such as that of a write which another program made. */
  expectRevision(revision: string): void {
    this.#highest.take(revision);
  }

  /** Checks required permissions. */
  check(check: Check): Promise<CheckResult> {
    return this.#post("/access/v1/check", check);
  }

  /** True when the user may do the action on the resource. */
  async allows(user: string, action: string, resource: string): Promise<boolean> {
    return (await this.check({ user, required: { action, resource } })).allowed;
  }

  /** Indexes of the allowed resources, ascending. */
  async filter(filter: Filter): Promise<readonly number[]> {
    const { allowed } = await this.#post<{ readonly allowed: readonly number[] }>(
      "/access/v1/filter",
      filter,
    );
    return allowed;
  }

  /** One AuthZEN evaluation. */
  evaluate(evaluation: Evaluation, options: { readonly explain?: boolean } = {}): Promise<EvaluationResult> {
    return this.#post(`/access/v1/evaluation${options.explain ? "?explain=true" : ""}`, evaluation);
  }

  /** Several AuthZEN evaluations in one call. */
  async evaluateMany(evaluations: Evaluations): Promise<readonly EvaluationResult[]> {
    const answer = await this.#post<{ readonly evaluations: readonly EvaluationResult[] }>(
      "/access/v1/evaluations",
      evaluations,
    );
    return answer.evaluations;
  }

  /** Decides from the given policies alone. */
  simulate(simulation: Simulation): Promise<CheckResult> {
    return this.#post("/access/v1/simulate", simulation);
  }

  async #post<T>(path: string, body: unknown): Promise<T> {
    const { response, text } = await this.#send(path, JSON.stringify(body));
    if (!response.ok) throw errorOf(response.status, text);
    return JSON.parse(text) as T;
  }

  async #send(path: string, body: string): Promise<{ response: Response; text: string }> {
    const minimum = this.#highest.text;
    const response = await fetch(this.#base + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        ...(minimum !== undefined && { "x-svc-min-revision": minimum }),
      },
      body,
      signal: AbortSignal.timeout(this.#timeout),
    });
    const text = await response.text();
    if (response.status === 409 && minimum !== undefined && codeOf(text) === "other_log") {
      // The directory was set up anew: what was known of the former one says nothing.
      this.#highest.forget();
      return this.#send(path, body);
    }
    this.#highest.take(response.headers.get("x-svc-revision"));
    return { response, text };
  }
}

function codeOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { code?: unknown } | null)?.code;
  } catch {
    return undefined;
  }
}

function errorOf(status: number, text: string): ClientError {
  try {
    const { message, problems = [] } = JSON.parse(text) as { message?: string; problems?: ClientProblem[] };
    return new ClientError(status, message ?? `status ${status}`, problems);
  } catch {
    return new ClientError(status, `status ${status}`, []);
  }
}
