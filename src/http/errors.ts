/** Errors on the wire: code → status, and the body that callers get (spec/decision-api §3). */

import { AuthorizerError, type ErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  not_allowed: 403,
  not_found: 404,
  already_exists: 409,
  conflict: 409,
  unavailable: 503,
  outcome_unknown: 503,
  stale: 503,
  behind: 503,
  other_log: 409,
  went_back: 409,
  internal: 500,
};

/** Codes that the body names, as their status alone does not tell what a caller should do. */
const NAMED: ReadonlySet<ErrorCode> = new Set([
  "outcome_unknown",
  "stale",
  "behind",
  "other_log",
  "went_back",
]);

const RETRY_AFTER_SECONDS = 1;
const MAX_PROBLEMS = 100;

/** A request refused for its form, with a status of its own (405, 413, 415, …). */
export class RequestRefused extends AuthorizerError {
  readonly status: number;
  /** Further response headers, name and value in turn. */
  readonly headers: readonly string[];

  /** @param code what metrics count it as, where that is not a fault of the request's form */
  constructor(
    status: number,
    message: string,
    headers: readonly string[] = [],
    code: ErrorCode = "invalid_request",
  ) {
    super(code, message);
    this.name = "RequestRefused";
    this.status = status;
    this.headers = headers;
  }
}

/** The error of a path that no route has. */
export function nothingHere(): AuthorizerError {
  return new AuthorizerError("not_found", "there is nothing at this path");
}

/** Refuses a request with every problem found. */
export function invalidRequest(problems: readonly Problem[], message = "invalid request"): AuthorizerError {
  const shown = problems.length > MAX_PROBLEMS ? problems.slice(0, MAX_PROBLEMS) : problems;
  return new AuthorizerError("invalid_request", message, { problems: shown });
}

/** An error as it goes over the wire. */
export interface ErrorReply {
  readonly status: number;
  readonly body: string;
  /** Content type of the body; default `application/json`. */
  readonly type?: string;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  /** Set where the reason stays inside: the id to log it under. */
  readonly errorId?: string;
  /**
   * True where a refused caller (401, 403) need not be logged: the API did that, or it is no failed authentication.
   */
  readonly recorded?: boolean;
}

/** True for a fault of this program: its message and cause are not shown to callers. */
function isInternal(error: unknown): boolean {
  return !(error instanceof AuthorizerError) || error.code === "internal";
}

/** The JSON body of an error. */
export function errorBody(message: string, problems: readonly Problem[] = [], code?: ErrorCode): string {
  const shown = problems.map(({ pointer, message }) => ({ pointer, message }));
  return JSON.stringify({
    message,
    ...(code !== undefined && { code }),
    ...(shown.length > 0 && { problems: shown }),
  });
}

/** The code of an error. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof AuthorizerError ? error.code : "internal";
}

/** The status of an error. */
export function statusOf(error: unknown): number {
  if (error instanceof RequestRefused) return error.status;
  return error instanceof AuthorizerError ? STATUS[error.code] : STATUS.internal;
}

function headersOf(error: AuthorizerError): readonly string[] {
  if (error instanceof RequestRefused) return error.headers;
  if (error.code === "unauthenticated") return ["WWW-Authenticate", "Bearer"];
  if (STATUS[error.code] === 503) {
    return ["Retry-After", String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS)))];
  }
  return [];
}

/** The answer to an error. An unknown or internal one becomes a 500 with a fresh id and nothing else. */
export function errorReply(error: unknown): ErrorReply {
  if (isInternal(error)) {
    const errorId = crypto.randomUUID();
    return { status: 500, body: errorBody(`internal error ${errorId}`), headers: [], errorId };
  }
  const known = error as AuthorizerError;
  return {
    status: statusOf(known),
    body: errorBody(known.message, known.problems, NAMED.has(known.code) ? known.code : undefined),
    headers: headersOf(known),
  };
}
