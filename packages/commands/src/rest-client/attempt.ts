/** One try of a call. */

import { type AnswerHead, type ApiRequest, httpRequest } from "./http-request.ts";
import { http } from "./node-http.ts";
import { transportFailure } from "./transport-failure.ts";
import { warningsOf } from "./warnings.ts";

/** Time limit of one attempt in milliseconds if the request names none. */
const DEFAULT_TIMEOUT_MS = 30_000;

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
  /** Its `X-Svc-Position`; null where it has none. */
  readonly position: string | null;
  /** Wait in milliseconds that the server asked for; absent if it named none. */
  readonly retryAfterMs?: number;
  readonly headers: Pick<Headers, "get">;
}

/**
 * Sends a request and reads the answer, whatever its status.
 * @throws TransportFailure when there is no answer
 */
export async function attempt(request: ApiRequest): Promise<ApiAnswer> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = request;
  try {
    const { text, ...head } = await httpRequest(request, AbortSignal.timeout(timeoutMs));
    return answerOf(head, text);
  } catch (error) {
    throw transportFailure(error, timeoutMs);
  }
}

/** The answer with its body read as text. */
export function answerOf({ status, statusText, headers }: AnswerHead, text: string): ApiAnswer {
  const retryAfterMs = retryAfter(headers.get("retry-after"));
  return {
    status,
    statusLine: `${status} ${statusText || (http.STATUS_CODES[status] ?? "")}`.trimEnd(),
    text,
    json: jsonOf(text),
    warnings: warningsOf(headers.get("warning")),
    headers,
    revision: headers.get("x-svc-revision"),
    position: headers.get("x-svc-position"),
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
