/**
 * The closed set of errors of this service. Knows no transport: every entrance (HTTP API, CLI, client) maps the
 * codes with a table of its own.
 */

/** The kinds of failure, a closed union: each API and program maps them to a status or an exit code. */
export type ErrorCode =
  | "not_found"
  | "already_exists"
  | "invalid_request"
  | "unauthenticated"
  | "not_allowed"
  | "conflict"
  | "unavailable"
  /** The write may have happened or may still happen: whoever asked has to look. */
  | "outcome_unknown"
  /** This node was without contact to its database for too long to answer. */
  | "stale"
  /** The caller wants an answer of a revision that does not exist yet. */
  | "behind"
  /** The caller names a revision of another log, or one that is not in this one. */
  | "other_log"
  /** The caller names an entry that the log has lost: the state went back. */
  | "went_back"
  | "internal";

/** One fault in a document or request. */
export interface Problem {
  /** JSON pointer (RFC 6901) of the faulty value; "" is the whole document. */
  readonly pointer: string;
  /** For people: what is wrong and what is expected. Never holds a secret value. */
  readonly message: string;
  /** File the document came from, where there is one. */
  readonly file?: string;
  /** 1-based line in the file, where known. */
  readonly line?: number;
  /** 1-based column in the file, where known. */
  readonly column?: number;
  /** The label under which a refused member of a policy is counted. Never sent to callers. */
  readonly member?: string;
}

/** The message of what was thrown, which need not be an error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A JSON pointer one step further, to a field or an index (RFC 6901, section 3). */
export function pointTo(pointer: string, step: string | number): string {
  if (typeof step === "number" || !(step.includes("/") || step.includes("~"))) return `${pointer}/${step}`;
  return `${pointer}/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Options of {@link AuthorizerError}. */
export interface AuthorizerErrorOptions {
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
  /** For "unavailable": seconds after which trying again makes sense. */
  readonly retryAfterSeconds?: number;
}

/** The one error class thrown across rooms. `message` is for people and safe to send to a caller. */
export class AuthorizerError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly Problem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AuthorizerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AuthorizerError";
    this.code = code;
    this.problems = options.problems ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** True when `error` is an {@link AuthorizerError} with the given code. */
export function isErrorCode(error: unknown, code: ErrorCode): error is AuthorizerError {
  return error instanceof AuthorizerError && error.code === code;
}

/** Codes that say nothing of the state of the directory, or that nothing is known of it. */
const OF_NO_STATE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "unauthenticated",
  "unavailable",
  "outcome_unknown",
  "stale",
  "behind",
  "other_log",
  "internal",
]);

/** True for an error that tells a caller something about the state of the directory. */
export function tellsOfState(error: unknown): error is AuthorizerError {
  return error instanceof AuthorizerError && !OF_NO_STATE.has(error.code);
}
