/** Sends calls over `fetch`, which every runtime has: deadlines, repeats, request ids, traces and revisions. */

import {
  FORGET_AT,
  minimumHeaders,
  newerRevision,
  parseRevision,
  type Revision,
} from "@svc-authorizer/policy/revision.ts";
import { bodyText } from "./body-text.ts";
import { ClientError } from "./client-error.ts";
import { errorOf, failureOf } from "./failures.ts";
import { LONGEST_TIMER_MS, mayRetry, pause, waitBefore } from "./retry.ts";
import { isSameEntry, WatchPlace } from "./watch-place.ts";

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

/** A body, and the terms of a call that streams it. */
export interface Sending {
  readonly body: string | ReadableStream<Uint8Array>;
  readonly type: string;
  readonly options?: CallOptions;
}

/** An answer that has not begun after this long will not come: the service begins its streams at once. */
const BEGINNING_MS = 15_000;
/** The time of a call whose caller says none. */
export const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_RETRIES = 2;

/** The connection to one service. It remembers the highest revision seen, so that callers read their own writes. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #base: string;
  #revision: Revision | undefined;
  readonly #watches: Set<WatchPlace> = new Set();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#base = options.url.replace(/\/+$/, "");
  }

  /** The highest revision of the directory that an answer carried. */
  get revision(): Revision | undefined {
    return this.#revision;
  }

  /** Asks for this revision at least from now on; undefined: for none. */
  asksFor(revision: Revision | undefined): void {
    this.#revision = revision;
  }

  /** A watch begins: it is to hear what calls read. Ended with {@link unwatched}. */
  watched(): WatchPlace {
    const place = new WatchPlace();
    this.#watches.add(place);
    return place;
  }

  /** That watch ended. */
  unwatched(place: WatchPlace): void {
    this.#watches.delete(place);
    place.close();
  }

  /**
   * Takes what a watch told: who reads because of it must not be answered from before it, by whichever node.
   * @param isReset the directory may have gone back: the revision replaces what is remembered, also where its number is lower
   */
  told(place: WatchPlace, revision: Revision | undefined, isReset: boolean): void {
    if (revision !== undefined) {
      this.#revision = isReset ? revision : newerRevision(this.#revision, revision);
    }
    place.tell(revision, isReset);
  }

  /**
   * Sends a JSON body and reads a JSON answer, again where that may help.
   * @throws ClientError where no answer came in time; the signal's reason where the caller ended the call; TypeError for
   *   a number that may not be what is meant
   */
  async post<T>(path: string, body: unknown, options: CallOptions = {}): Promise<Answer<T>> {
    return await this.#ask("POST", path, bodyText(body), options);
  }

  /**
   * Reads a JSON answer, as {@link post} does.
   * @throws ClientError; the signal's reason
   */
  get<T>(path: string, options: CallOptions = {}): Promise<Answer<T>> {
    return this.#ask("GET", path, undefined, options);
  }

  /**
   * Opens a stream: no repeats, and no deadline once the answer has begun; the caller reads it and bounds its silence.
   * @throws ClientError where the service refuses; any other error where the answer does not begin in time
   */
  async open(path: string, signal: AbortSignal, sending?: Sending): Promise<Response> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(noBeginning()), BEGINNING_MS);
    try {
      const method = sending === undefined ? "GET" : "POST";
      return await this.#once(method, path, sending, sending?.options ?? {}, anyOf(signal, late.signal));
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask<T>(
    method: string,
    path: string,
    body: string | undefined,
    options: CallOptions,
  ): Promise<Answer<T>> {
    const { timeout = this.#options.timeout ?? DEFAULT_TIMEOUT_MS } = options;
    const deadline = AbortSignal.timeout(Math.min(timeout, LONGEST_TIMER_MS));
    const signal = anyOf(options.signal, deadline);
    const sending = body === undefined ? undefined : { body, type: "application/json" };
    const endsAt = performance.now() + timeout;
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await this.#once(method, path, sending, options, signal);
        return { body: await readJson<T>(response, signal), revision: revisionOf(response) };
      } catch (error) {
        options.signal?.throwIfAborted();
        const failure = failureOf(error, deadline, timeout);
        const wait = waitBefore(attempt, failure);
        const isLast = attempt >= (this.#options.retries ?? DEFAULT_RETRIES);
        if (isLast || !mayRetry(failure) || performance.now() + wait >= endsAt) throw failure;
        await pause(wait, signal).catch(() => options.signal?.throwIfAborted());
      }
    }
  }

  async #once(
    method: string,
    path: string,
    sending: Sending | undefined,
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<Response> {
    const asked = this.#revision;
    const headers = await this.#headers(asked, options, sending?.type, signal);
    const call = this.#options.fetch ?? globalThis.fetch;
    const response = await call(this.#base + path, {
      method,
      headers,
      signal,
      redirect: "error",
      ...(sending !== undefined && { body: sending.body }),
      // A body that is a stream is sent while the answer comes; the standard wants this said.
      ...(sending?.body instanceof ReadableStream && { duplex: "half" }),
    });
    const revision = revisionOf(response);
    if (revision !== undefined) {
      this.#revision = newerRevision(this.#revision, revision);
      for (const place of this.#watches) place.answered(revision);
    }
    if (response.ok) return response;
    const error = await errorOf(response);
    if (FORGET_AT.has(error.code)) this.#forget(asked);
    throw error;
  }

  /**
   * The service has another database now, or an earlier state: what was asked for says nothing about it. What a watch
   * told instead goes on to count; without such, the next call asks for no revision.
   */
  #forget(asked: Revision | undefined): void {
    const told = [...this.#watches].map((place) => place.told).find((one) => !isSameEntry(one, asked));
    if (isSameEntry(this.#revision, asked)) this.#revision = told;
    for (const place of this.#watches) place.lost();
  }

  async #headers(
    asked: Revision | undefined,
    options: CallOptions,
    contentType: string | undefined,
    signal: AbortSignal,
  ): Promise<Record<string, string>> {
    const { token } = this.#options;
    return {
      authorization: `Bearer ${typeof token === "string" ? token : await tokenOf(token, signal)}`,
      ...(contentType !== undefined && { "content-type": contentType }),
      ...(options.requestId !== undefined && { "x-request-id": options.requestId }),
      ...(options.traceparent !== undefined && { traceparent: options.traceparent }),
      ...minimumHeaders(asked),
    };
  }
}

function anyOf(given: AbortSignal | undefined, own: AbortSignal): AbortSignal {
  return given === undefined ? own : AbortSignal.any([given, own]);
}

function noBeginning(): ClientError {
  return new ClientError(0, `no answer began within ${BEGINNING_MS} ms`, [], { code: "timeout" });
}

/** The token that the caller's function gives; its time is that of the call. */
async function tokenOf(give: () => string | Promise<string>, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([give(), ended]);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ClientError(0, "the function `token` gave no token", [], { code: "unauthenticated", cause });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function readJson<T>(response: Response, signal: AbortSignal): Promise<T> {
  const text = await response.text().catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new ClientError(0, "the answer ended early", [], { code: "unreachable", cause });
  });
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ClientError(response.status, "the answer is not JSON", [], { code: "unreadable", cause });
  }
}

function revisionOf(response: Response): Revision | undefined {
  const { headers } = response;
  return parseRevision(headers.get("x-svc-revision"), headers.get("x-svc-position"));
}
