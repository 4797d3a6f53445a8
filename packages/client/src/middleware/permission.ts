/** The judgement that all middleware shares: 200 to go on, else the status and the body of the refusal. */

import { ClientError, type ClientErrorCode } from "../client-error.ts";
import type { Check, ClientContext } from "../questions.ts";
import type { CallOptions } from "../transport.ts";
import { logFailure } from "./log-failure.ts";

/** A value, or a function that reads it from the request. */
export type Of<Request, T> = T | ((request: Request) => T | Promise<T>);

/** The client, or a decision point inside this process: middleware needs nothing else of it. */
export interface Checker {
  check(check: Check, options?: CallOptions): Promise<Answer> | Answer;
}

/** The part of an answer that middleware reads. */
interface Answer {
  readonly allowed: boolean;
  readonly message?: string;
  readonly id?: string;
  readonly reason?: string;
}

/** Reasons of a decision point that could not decide. */
const UNDECIDED: ReadonlyMap<string | undefined, ClientError> = new Map([
  [
    "stale",
    new ClientError(0, "the decision point has not heard from the service for too long", [], {
      code: "stale",
    }),
  ],
  ["closed", new ClientError(0, "the decision point is closed", [], { code: "unavailable" })],
]);

/** The call is wrong: repeating it does not help. */
const WRONG_CALL: ReadonlySet<ClientErrorCode> = new Set([
  "invalid_request",
  "unauthenticated",
  "not_allowed",
  "not_found",
]);

/** The permission that a route requires. */
export interface Permission<Request> {
  /** `service:Verb`. */
  readonly action: Of<Request, string>;
  /** An ARN. */
  readonly resource: Of<Request, string>;
  /** Name of the user whom your authentication found; undefined or empty: nobody, answered with 401. */
  readonly user: Of<Request, string | undefined>;
  /** Condition fields, such as `SourceIp`. */
  readonly context?: Of<Request, ClientContext | undefined>;
  /**
   * Hears of each error that made a request be answered with 500 or 503. Absent: `console.error` gets a line, at most one in
   * ten seconds for each of the two.
   */
  readonly onError?: (error: unknown, request: Request) => void;
}

/** Go on. */
export interface Passed {
  readonly status: 200;
}

/** The answer to the caller. */
export interface Refused {
  readonly status: 401 | 403 | 500 | 503;
  readonly body: { readonly message: string; readonly id?: string };
  readonly headers: Readonly<Record<string, string>>;
}

const UNAUTHENTICATED: Refused = {
  status: 401,
  body: { message: "authentication required" },
  headers: { "www-authenticate": "Bearer" },
};
const UNAVAILABLE: Refused = {
  status: 503,
  body: { message: "the authorization service does not answer; try again later" },
  headers: { "retry-after": "1" },
};
/** A function of the permission failed. */
const UNASKED = failed("this application failed before it could ask for permission");
const WRONGLY_ASKED = failed("the authorization service does not take this application's question");
const UNAUTHORIZED = failed("the authorization service does not take this application's token");

function failed(message: string): Refused {
  return { status: 500, body: { message }, headers: {} };
}

/**
 * Decides whether a request may pass. It never throws: whatever fails is a refusal, with 503 where the same request may pass
 * later, and with 500 where the application has to be mended.
 */
export async function judge<Request>(
  checker: Checker,
  permission: Permission<Request>,
  request: Request,
): Promise<Passed | Refused> {
  let check: Check | undefined;
  try {
    check = await checkOf(permission, request);
  } catch (error) {
    return report(permission, request, { error, refused: UNASKED });
  }
  if (check === undefined) return UNAUTHENTICATED;
  try {
    const answer = await checker.check(check);
    if (answer.allowed === true) return { status: 200 };
    const error = UNDECIDED.get(answer.reason);
    return error === undefined
      ? refusal(answer)
      : report(permission, request, { error, refused: UNAVAILABLE });
  } catch (error) {
    return report(permission, request, { error, refused: refusalFor(error) });
  }
}

/** The question that a request asks; undefined where nobody asks. */
async function checkOf<Request>(
  permission: Permission<Request>,
  request: Request,
): Promise<Check | undefined> {
  const user = await read(permission.user, request);
  if (user === undefined || user === "") return undefined;
  const context = await read(permission.context, request);
  return {
    user,
    required: {
      action: await read(permission.action, request),
      resource: await read(permission.resource, request),
    },
    ...(context !== undefined && { context }),
  };
}

interface Failure {
  readonly error: unknown;
  readonly refused: Refused;
}

/** A log that fails must not keep the refusal back: the request would hang, or the process end. */
function report<Request>(
  permission: Permission<Request>,
  request: Request,
  { error, refused }: Failure,
): Refused {
  try {
    if (permission.onError === undefined) logFailure(permission, refused, error);
    else permission.onError(error, request);
  } catch {
    // The answer is a refusal all the same.
  }
  return refused;
}

function read<Request, T>(value: Of<Request, T>, request: Request): T | Promise<T> {
  return typeof value === "function" ? (value as (request: Request) => T | Promise<T>)(request) : value;
}

function refusal({ message = "insufficient permissions", id }: Answer): Refused {
  return { status: 403, body: { message, ...(id !== undefined && { id }) }, headers: {} };
}

function refusalFor(error: unknown): Refused {
  // A decision point in this process says so of what it cannot be asked.
  if (error instanceof TypeError || error instanceof RangeError) return WRONGLY_ASKED;
  if (!(error instanceof ClientError)) return UNAVAILABLE;
  const { code, retryAfterSeconds } = error;
  if (WRONG_CALL.has(code)) {
    return code === "unauthenticated" || code === "not_allowed" ? UNAUTHORIZED : WRONGLY_ASKED;
  }
  if (retryAfterSeconds === undefined) return UNAVAILABLE;
  return { ...UNAVAILABLE, headers: { "retry-after": String(Math.ceil(retryAfterSeconds)) } };
}
