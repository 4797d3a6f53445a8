/** The judgement that all middleware shares: 200 to go on, else the status and the body of the refusal. */

import { ClientError } from "../client-error.ts";
import type { Check, ClientContext } from "../questions.ts";
import type { CallOptions } from "../transport.ts";

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
const UNDECIDED: ReadonlySet<string | undefined> = new Set(["stale", "closed"]);

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
  /** Hears of each error that made a request be answered with 503. */
  readonly onError?: (error: unknown, request: Request) => void;
}

/** Go on. */
export interface Passed {
  readonly status: 200;
}

/** The answer to the caller. */
export interface Refused {
  readonly status: 401 | 403 | 503;
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

/** Decides whether a request may pass. It never throws: whatever fails is a refusal with 503. */
export async function judge<Request>(
  checker: Checker,
  permission: Permission<Request>,
  request: Request,
): Promise<Passed | Refused> {
  try {
    const user = await read(permission.user, request);
    if (user === undefined || user === "") return UNAUTHENTICATED;
    const context = await read(permission.context, request);
    const answer = await checker.check({
      user,
      required: {
        action: await read(permission.action, request),
        resource: await read(permission.resource, request),
      },
      ...(context !== undefined && { context }),
    });
    if (answer.allowed === true) return { status: 200 };
    return UNDECIDED.has(answer.reason) ? UNAVAILABLE : refusal(answer);
  } catch (error) {
    report(permission, error, request);
    return unavailable(error);
  }
}

/** A log that fails must not keep the refusal back: the request would hang, or the process end. */
function report<Request>({ onError }: Permission<Request>, error: unknown, request: Request): void {
  try {
    onError?.(error, request);
  } catch {
    // The answer is 503 all the same.
  }
}

function read<Request, T>(value: Of<Request, T>, request: Request): T | Promise<T> {
  return typeof value === "function" ? (value as (request: Request) => T | Promise<T>)(request) : value;
}

function refusal({ message = "insufficient permissions", id }: Answer): Refused {
  return { status: 403, body: { message, ...(id !== undefined && { id }) }, headers: {} };
}

function unavailable(error: unknown): Refused {
  if (!(error instanceof ClientError) || error.retryAfterSeconds === undefined) return UNAVAILABLE;
  return { ...UNAVAILABLE, headers: { "retry-after": String(Math.ceil(error.retryAfterSeconds)) } };
}
