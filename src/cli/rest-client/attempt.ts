/** One try of a call. */

import { STATUS_CODES } from "node:http";
import { warningsOf } from "./warnings.ts";

/** Largest answer that is read. */
const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024;

/** Time limit of one attempt in milliseconds if the request names none. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** A request as it goes out. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time for one try, in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  readonly redirect?: "follow" | "error";
}

/** An answer, read to its end. */
export interface ApiAnswer {
  readonly status: number;
  /** `404 Not Found`. */
  readonly statusLine: string;
  readonly text: string;
  /** The body where it is JSON. */
  readonly json: unknown;
  /** Texts of its `Warning` headers, for people. */
  readonly warnings: readonly string[];
  /** Its `X-Svc-Revision`; null where it has none. */
  readonly revision: string | null;
  /** Wait in milliseconds that the server asked for; absent if it named none. */
  readonly retryAfterMs?: number;
  readonly headers: Pick<Headers, "get">;
}

/** No answer came: connection refused, name unknown, certificate not trusted, too slow. */
export class TransportFailure extends Error {
  override readonly name = "TransportFailure";
  /** False where trying again cannot help. */
  readonly temporary: boolean;
  /** True where the certificate is the reason. */
  readonly untrusted: boolean;

  constructor(message: string, temporary: boolean, cause?: unknown, untrusted = false) {
    super(message, { cause });
    this.temporary = temporary;
    this.untrusted = untrusted;
  }
}

/**
 * Sends a request and reads the answer, whatever its status.
 * @throws TransportFailure when there is no answer
 */
export async function attempt(request: ApiRequest): Promise<ApiAnswer> {
  const { method, url, headers, body, timeoutMs = DEFAULT_TIMEOUT_MS, redirect = "follow" } = request;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = { method, headers, signal, redirect, ...(body !== undefined && { body }) };
    const response = await fetch(url, sent);
    return answerOf(response, await readBounded(response));
  } catch (error) {
    throw transportFailure(error, timeoutMs);
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > LARGEST_ANSWER_BYTES) throw new TransportFailure("the answer is too large", false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The parts of an answer before its body. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Pick<Headers, "get">;
}

/** The answer with its body read as text. */
export function answerOf({ status, statusText, headers }: AnswerHead, text: string): ApiAnswer {
  const retryAfterMs = retryAfter(headers.get("retry-after"));
  return {
    status,
    statusLine: `${status} ${statusText || (STATUS_CODES[status] ?? "")}`.trimEnd(),
    text,
    json: jsonOf(text),
    warnings: warningsOf(headers.get("warning")),
    headers,
    revision: headers.get("x-svc-revision"),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: what that means depends on the status.
    return undefined;
  }
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Codes of errors about certificates. */
const UNTRUSTED = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

/** Codes of other errors that do not go away with another try. */
const PERMANENT = /^(ERR_INVALID_|UND_ERR_INVALID|ERR_SSL_WRONG_VERSION_NUMBER)/;

/** Errors of OpenSSL name a place in its sources, which helps no reader of the message. */
const OPENSSL = /^[0-9A-F]+:error:[0-9A-F]+:SSL routines:[^:]*:([^:]+):[\s\S]*$/;

/** The failure that an error of the network stands for. */
export function transportFailure(error: unknown, timeoutMs: number): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const { cause } = error as { cause?: unknown };
  const inner = firstOf(cause instanceof Error ? cause : error);
  const { code = "", name, message } = inner as NodeJS.ErrnoException;
  const untrusted = UNTRUSTED.test(code);
  const text = name === "TimeoutError" ? `no answer within ${timeoutMs / 1000} seconds` : message || code;
  const permanent =
    untrusted ||
    PERMANENT.test(code) ||
    message === "redirect count exceeded" ||
    message === "unexpected redirect" ||
    message === "unknown scheme";
  return new TransportFailure(text.replace(OPENSSL, "TLS: $1"), !permanent, error, untrusted);
}

/** Of several addresses that were tried, the failure of the first one. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}
