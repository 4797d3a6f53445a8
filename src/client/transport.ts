/** Sends calls over `fetch`, which every runtime has: deadlines, repeats, request ids, traces and revisions. */

import { ClientError, type ClientErrorCode, type ClientProblem } from "./client-error.ts";
import { mayRetry, pause, waitBefore } from "./retry.ts";
import { newerRevision, parseRevision, type Revision } from "./revision.ts";

/** The address of the service, and the terms of a call. */
export interface TransportOptions {
  /** Base URL of the service listener, e.g. `http://127.0.0.1:8001`. */
  readonly url: string;
  /** Bearer token, or a function that gives the present one. */
  readonly token: string | (() => string | Promise<string>);
  /** Milliseconds until a call with all its repeats is given up; default 10,000. */
  readonly timeout?: number;
  /** Most repeats of a call; default 2, 0 for none. */
  readonly retries?: number;
  /** The `fetch` to use instead of the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The terms of one call. */
export interface CallOptions {
  /** Ends the call; it then fails with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds for this call instead of the client's. */
  readonly timeout?: number;
  /** `X-Request-ID`, for the logs of both sides; the service makes one where it is absent. */
  readonly requestId?: string;
  /** `traceparent` of the caller's span (W3C Trace Context). */
  readonly traceparent?: string;
}

/** An answer with the revision of the directory that it was made from. */
export interface Answer<T> {
  readonly body: T;
  readonly revision: Revision | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_RETRIES = 2;
const SERVER_CODES: ReadonlySet<string> = new Set(["stale", "behind", "other_log"]);

/** The connection to one service. It remembers the highest revision seen, so that callers read their own writes. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #base: string;
  #revision: Revision | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
  }

  /** The highest revision of the directory that an answer carried. */
  get revision(): Revision | undefined {
    return this.#revision;
  }

  /**
   * Sends a JSON body and reads a JSON answer.
   * @throws ClientError where no answer came in time; the signal's reason where the caller ended the call
   */
  async post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer<T>> {
    const response = await this.send("POST", path, JSON.stringify(body), options);
    const text = await this.#read(response, options);
    try {
      return { body: JSON.parse(text) as T, revision: revisionOf(response) };
    } catch (cause) {
      throw new ClientError(response.status, "the answer is not JSON", [], { code: "unreadable", cause });
    }
  }

  /** Sends a request, again where that may help, and returns the first answer with a status of 2xx. */
  async send(
    method: string,
    path: string,
    body: string | undefined,
    options: CallOptions = {},
  ): Promise<Response> {
    const { timeout = this.#options.timeout ?? DEFAULT_TIMEOUT_MS } = options;
    const deadline = AbortSignal.timeout(timeout);
    const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
    const endsAt = performance.now() + timeout;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(method, path, body, options, signal);
      } catch (error) {
        options.signal?.throwIfAborted();
        const failure = this.#failureOf(error, deadline, timeout);
        const wait = waitBefore(attempt, failure);
        const isLast = attempt >= (this.#options.retries ?? DEFAULT_RETRIES);
        if (isLast || !mayRetry(failure) || performance.now() + wait >= endsAt) throw failure;
        await pause(wait, signal).catch(() => options.signal?.throwIfAborted());
      }
    }
  }

  /** Opens a stream: no deadline, no repeats; the caller reads the body. */
  async open(path: string, signal: AbortSignal): Promise<Response> {
    return this.#once("GET", path, undefined, {}, signal);
  }

  async #once(
    method: string,
    path: string,
    body: string | undefined,
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<Response> {
    const headers = await this.#headers(options, body !== undefined);
    const call = this.#options.fetch ?? globalThis.fetch;
    const response = await call(this.#base + path, {
      method,
      headers,
      signal,
      redirect: "error",
      ...(body !== undefined && { body }),
    });
    const revision = revisionOf(response);
    if (revision !== undefined) this.#revision = newerRevision(this.#revision, revision);
    if (response.ok) return response;
    const error = await errorOf(response);
    // The service has another database now. Its revisions say nothing about ours, so the next call asks without one.
    if (error.code === "other_log") this.#revision = undefined;
    throw error;
  }

  async #headers(options: CallOptions, hasBody: boolean): Promise<Record<string, string>> {
    const { token } = this.#options;
    return {
      authorization: `Bearer ${typeof token === "string" ? token : await token()}`,
      ...(hasBody && { "content-type": "application/json" }),
      ...(options.requestId !== undefined && { "x-request-id": options.requestId }),
      ...(options.traceparent !== undefined && { traceparent: options.traceparent }),
      ...(this.#revision !== undefined && { "x-svc-min-revision": this.#revision.text }),
    };
  }

  async #read(response: Response, options: CallOptions): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      options.signal?.throwIfAborted();
      throw new ClientError(0, "the answer ended early", [], { code: "unreachable", cause: error });
    }
  }

  #failureOf(error: unknown, deadline: AbortSignal, timeout: number): ClientError {
    if (error instanceof ClientError) return error;
    if (deadline.aborted) {
      return new ClientError(0, `no answer within ${timeout} ms`, [], { code: "timeout", cause: error });
    }
    const reason = error instanceof Error ? (error.cause ?? error) : error;
    const detail = reason instanceof Error && reason.message !== "" ? `: ${reason.message}` : "";
    return new ClientError(0, `the service cannot be reached${detail}`, [], {
      code: "unreachable",
      cause: error,
    });
  }
}

function revisionOf(response: Response): Revision | undefined {
  const header = response.headers.get("x-svc-revision");
  return header === null ? undefined : parseRevision(header);
}

async function errorOf(response: Response): Promise<ClientError> {
  const text = await response.text().catch(() => "");
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const { message, problems, code } = readError(text);
  return new ClientError(response.status, message ?? `status ${response.status}`, problems, {
    ...(code !== undefined && SERVER_CODES.has(code) && { code: code as ClientErrorCode }),
    ...(requestId !== undefined && { requestId }),
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
  });
}

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly problems?: readonly ClientProblem[];
}

function readError(text: string): ErrorBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}
