/** Errors as the management API answers them: status and text of the reference, which people and scripts know. */

import { AuthorizerError, isErrorCode, type Problem } from "@svc-authorizer/policy/errors.ts";
import { type ErrorReply, errorBody, errorReply, RequestRefused } from "../../http/errors.ts";
import { plainError } from "../rest/plain-errors.ts";

/** Browsers ask people for a password when they are challenged for Basic, and then send it along by themselves. */
const CHALLENGE: readonly string[] = ["WWW-Authenticate", "Bearer"];

/** A user who is known may not make the call. */
export class PermissionRefused extends AuthorizerError {
  /** 401 where the user's policies do not allow the call, as in the reference. */
  readonly status: 401 | 403;

  /** @param problems the parts of the call that are refused, where it has several */
  constructor(message: string, status: 401 | 403 = 401, problems: readonly Problem[] = []) {
    super("not_allowed", message, { problems });
    this.status = status;
  }
}

/** An error with a text of its own where the reference has one text for all errors of the code. */
export class OwnText extends AuthorizerError {}

/** The error of operations that the reference has and this service has not. */
export function notImplemented(): RequestRefused {
  return new RequestRefused(501, "Not Implemented");
}

/**
 * The answer to an error.
 * @param missing text for what does not exist
 */
export function managementError(error: unknown, missing = "not found"): ErrorReply {
  if (error instanceof PermissionRefused) {
    const { status, message, problems } = error;
    return {
      status,
      body: errorBody(message, problems),
      headers: status === 401 ? CHALLENGE : [],
      recorded: true,
    };
  }
  if (isErrorCode(error, "unauthenticated")) return { ...unauthenticated(error), recorded: true };
  if (error instanceof OwnText || isOwnRefusal(error)) return errorReply(error);
  if (isErrorCode(error, "not_found")) return errorReply(withText(error, missing));
  if (isErrorCode(error, "already_exists")) return errorReply(withText(error, "Already exists"));
  return errorReply(plainError(error));
}

/** True for an operation's own 404 or 410, which says what is missing. */
function isOwnRefusal(error: unknown): boolean {
  return error instanceof RequestRefused && error.code === "not_found";
}

/** 401, or 429 after too many failures of one key and source (spec/security §2.10). */
function unauthenticated({ message, retryAfterSeconds }: AuthorizerError): ErrorReply {
  const body = errorBody(message);
  if (retryAfterSeconds === undefined) return { status: 401, body, headers: CHALLENGE };
  const seconds = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  return { status: 429, body, headers: ["Retry-After", seconds] };
}

function withText({ code }: AuthorizerError, message: string): AuthorizerError {
  return new AuthorizerError(code, message);
}
