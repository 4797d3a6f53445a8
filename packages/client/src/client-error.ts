/** The one error of the client: everything that is not an answer. */

/** One fault of the request, as the service names it. */
export interface ClientProblem {
  /** JSON pointer into the body that was sent. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * The reason why there is no answer. The last group comes from the client itself:
 * - `invalid_request`, `unauthenticated`, `not_allowed`, `not_found`: the call is wrong; repeating it does not help;
 * - `unavailable`, `stale`, `behind`, `other_log`, `went_back`, `internal`: the service cannot answer now;
 * - `unreachable`: no connection, or it broke; `timeout`: the time of the call is over; `unreadable`: what came is no
 *   answer of this API.
 */
export type ClientErrorCode =
  | "invalid_request"
  | "unauthenticated"
  | "not_allowed"
  | "not_found"
  | "unavailable"
  | "stale"
  | "behind"
  | "other_log"
  | "went_back"
  | "internal"
  | "unreachable"
  | "timeout"
  | "unreadable";

/** Further facts of a {@link ClientError}. */
export interface ClientErrorDetails {
  readonly code?: ClientErrorCode;
  /** The `X-Request-ID` of the call, which the service's log has too. */
  readonly requestId?: string;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const CODES_OF_STATUS: ReadonlyMap<number, ClientErrorCode> = new Map([
  [401, "unauthenticated"],
  [403, "not_allowed"],
  [404, "not_found"],
  [429, "unavailable"],
  [502, "unavailable"],
  [503, "unavailable"],
  [504, "unavailable"],
]);

function codeOfStatus(status: number): ClientErrorCode {
  return CODES_OF_STATUS.get(status) ?? (status >= 500 ? "internal" : "invalid_request");
}

/** A call that brought no answer: a status other than 2xx, no connection, or no time left. It never means "allowed". */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** Status of the answer; 0 where none came. */
  readonly status: number;
  readonly problems: readonly ClientProblem[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    problems: readonly ClientProblem[] = [],
    details: ClientErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "ClientError";
    this.code = details.code ?? codeOfStatus(status);
    this.status = status;
    this.problems = problems;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
