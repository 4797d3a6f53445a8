/** HTTP calls of a data server: retries where a call may be made again, time limits, bounded answers. */

import { setTimeout as wait } from "node:timers/promises";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { CallFailed } from "../ports.ts";

/** An access key of a data server. */
export interface ServerKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Keys that are made while they are needed. The data server may hear of one a moment after it was made. */
export interface ServerKeys {
  /** @throws CallFailed where there can be none */
  get(): Promise<ServerKey>;
  /** Tells that the data server does not take the newest key. */
  refused(): void;
}

/** A data server and the key, or the keys, that it is called with. */
export type ServerAccess = {
  /** URL of the server, without the path of its API. */
  readonly endpoint: string;
} & (ServerKey | { readonly keys: ServerKeys });

/** Limits of calls. */
interface CallLimits {
  /** Time for one try, in milliseconds. */
  readonly timeoutMs: number;
  /** Tries of a call that may be made again. */
  readonly tries: number;
  /** Wait after the first try in milliseconds; it doubles. */
  readonly waitMs: number;
}

/** Options of {@link ServerCalls}. */
interface CallOptions extends Partial<CallLimits> {
  /** Ends all calls. */
  readonly signal?: AbortSignal;
}

const LIMITS: CallLimits = { timeoutMs: 60_000, tries: 5, waitMs: 500 };
const UNAUTHENTICATED = 401;
/** Longest wait that a server may ask for, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;
/** Largest answer in JSON, in bytes. */
const LARGEST_JSON = 16 * 1024 * 1024;
/** Characters of an error's text that are told. */
const LONGEST_REASON = 200;

/** One call. */
export interface ServerCall {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Segments behind `/api/v1`, not encoded. */
  readonly path: readonly string[];
  /** Values are texts, or bytes that need not be UTF-8. */
  readonly query?: Readonly<Record<string, string | Buffer>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** True: made again after a failure. A call that may change a branch is not: it may be under way still. */
  readonly again: boolean;
  /** Most bytes of the answer; default 16 MiB. */
  readonly limit?: number;
}

/** An answer. */
interface ServerAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** True where the connection ended before the body did. */
  readonly isCut: boolean;
}

/** Makes calls. */
export class ServerCalls {
  readonly #access: ServerAccess;
  readonly #limits: CallLimits;
  readonly #signal: AbortSignal | undefined;
  /** Tries under way. */
  readonly #running = new Set<AbortController>();

  constructor(access: ServerAccess, { signal, ...limits }: CallOptions = {}) {
    this.#access = access;
    this.#limits = { ...LIMITS, ...limits };
    this.#signal = signal;
    signal?.addEventListener("abort", () => {
      for (const one of this.#running) one.abort(signal.reason);
    });
  }

  /**
   * The answer to a call where its status is one of these.
   * @throws CallFailed for another status, and where there is no answer
   */
  async ask(call: ServerCall, ...expected: readonly number[]): Promise<ServerAnswer> {
    const { tries, waitMs } = this.#limits;
    // A URL without such a segment is that of something else: of a whole repository where a branch is meant.
    if (call.path.some((segment) => ["", ".", ".."].includes(segment)))
      throw new CallFailed(`${nameOf(call)}: no data server has such a name`, undefined, false);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#try(call, expected);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        if (attempt >= tries || !error.isWorthAnother) throw error.failure;
        if (this.#signal?.aborted) throw error.failure;
        await this.#wait(Math.max(waitMs * 2 ** (attempt - 1), error.waitMs));
      }
    }
  }

  /** As {@link ask}, with the JSON of the answer. */
  async json(call: ServerCall, ...expected: readonly number[]): Promise<{ status: number; value: unknown }> {
    const { status, body, isCut } = await this.ask(call, ...expected);
    const text = body.toString();
    try {
      if (isCut) throw new Error("cut");
      return { status, value: text === "" ? undefined : parseJsonText(text) };
    } catch {
      throw new CallFailed(`${nameOf(call)}: the answer is not JSON`, status, call.method !== "GET");
    }
  }

  /**
   * Makes a try within its time. `AbortSignal.timeout` would do so, too, but each of its signals lives until it fires: at a
   * thousand calls a second they would be most of the memory.
   */
  async #try(call: ServerCall, expected: readonly number[]): Promise<ServerAnswer> {
    const abort = new AbortController();
    const late = (): void => abort.abort(new DOMException("no answer in time", "TimeoutError"));
    const timer = setTimeout(late, this.#limits.timeoutMs);
    if (this.#signal?.aborted) abort.abort(this.#signal.reason);
    this.#running.add(abort);
    try {
      return await this.#send(call, expected, abort.signal);
    } finally {
      clearTimeout(timer);
      this.#running.delete(abort);
    }
  }

  async #send(call: ServerCall, expected: readonly number[], signal: AbortSignal): Promise<ServerAnswer> {
    const access = this.#access;
    const keys = "keys" in access ? access.keys : undefined;
    const { accessKeyId, secretAccessKey } = "keys" in access ? await access.keys.get() : access;
    const key = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64");
    let response: Response;
    try {
      response = await fetch(this.#urlOf(call), {
        method: call.method,
        headers: {
          authorization: `Basic ${key}`,
          accept: "application/json, application/octet-stream",
          // What is packed would have no last byte of its own.
          "accept-encoding": "identity",
          ...(call.body !== undefined && { "content-type": "application/json" }),
          ...call.headers,
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        redirect: "error",
        signal,
      });
    } catch (error) {
      throw new Refused(
        new CallFailed(`${nameOf(call)}: ${reasonOf(error)}`, undefined, true),
        call.again,
        0,
      );
    }
    const answer = await readAnswer(response, call);
    if (expected.includes(response.status)) return answer;
    if (response.status !== UNAUTHENTICATED || keys === undefined) throw refusedBy(response, answer, call);
    keys.refused();
    // Nothing was done for who is not known.
    throw new Refused(new CallFailed(messageOf(response, answer, call), UNAUTHENTICATED, false), true, 0);
  }

  async #wait(ms: number): Promise<void> {
    // Ended early, the next try fails at once.
    await wait(ms, undefined, { ...(this.#signal && { signal: this.#signal }) }).catch(() => {});
  }

  #urlOf({ path, query }: ServerCall): string {
    const base = `${this.#access.endpoint.replace(/\/+$/, "")}/api/v1`;
    return `${base}/${path.map(encodeURIComponent).join("/")}${searchOf(query)}`;
  }
}

/** The query of a URL. Bytes are all encoded: no reader of the URL can take one for anything else. */
function searchOf(query: ServerCall["query"] = {}): string {
  const parts = Object.entries(query).map(([name, value]) => {
    const encoded =
      typeof value === "string" ? encodeURIComponent(value) : value.toString("hex").replace(/../g, "%$&");
    return `${name}=${encoded}`;
  });
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** One try that failed. */
class Refused extends Error {
  readonly failure: CallFailed;
  readonly isWorthAnother: boolean;
  readonly waitMs: number;

  constructor(failure: CallFailed, isWorthAnother: boolean, waitMs: number) {
    super(failure.message);
    this.failure = failure;
    this.isWorthAnother = isWorthAnother;
    this.waitMs = waitMs;
  }
}

function refusedBy({ status, headers }: Response, { body }: ServerAnswer, call: ServerCall): Refused {
  const message = messageOf({ status }, { body }, call);
  // 429 is answered before anything is done; whatever else fails in a server may have been done, or be under way.
  const isUnknown = status >= 500 && call.method !== "GET";
  const isTemporary = status === 429 || (call.again && [500, 502, 503, 504].includes(status));
  const seconds = Number(headers.get("retry-after") ?? 0);
  const waitMs = Number.isFinite(seconds) ? Math.min(seconds * 1_000, LONGEST_WAIT_MS) : 0;
  return new Refused(new CallFailed(message, status, isUnknown), isTemporary, waitMs);
}

function messageOf(
  { status }: Pick<Response, "status">,
  { body }: Pick<ServerAnswer, "body">,
  call: ServerCall,
): string {
  return `${nameOf(call)}: ${status}${textOf(body)}`;
}

/** Reads an answer up to its limit; what comes after it is an error. */
async function readAnswer(response: Response, call: ServerCall): Promise<ServerAnswer> {
  const { limit = LARGEST_JSON } = call;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of response.body ?? []) {
      size += piece.length;
      if (size > limit) break;
      pieces.push(piece);
    }
  } catch {
    return { status: response.status, body: Buffer.concat(pieces), isCut: true };
  }
  if (size > limit) {
    throw new CallFailed(`${nameOf(call)}: the answer is larger than ${limit} bytes`, response.status, false);
  }
  return { status: response.status, body: Buffer.concat(pieces), isCut: false };
}

function nameOf({ method, path }: ServerCall): string {
  return `${method} /${path.join("/")}`;
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return "no answer in time";
  return cause instanceof Error ? cause.message || cause.name : message;
}

function textOf(body: Buffer): string {
  try {
    const { message } = parseJsonText(body.toString()) as { message?: unknown };
    return typeof message === "string" ? ` ${message.slice(0, LONGEST_REASON)}` : "";
  } catch {
    return "";
  }
}
