/** Errors as both REST APIs answer them: a message and nothing else. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";

/** Faults that a message names. */
const MAX_PROBLEMS = 10;

/**
 * An error whose message says everything: clients of these APIs read no other field, so it names every faulty field. A
 * lost race is "unavailable", since clients take 409 for "exists already"; they may try again.
 */
export function plainError(error: unknown): unknown {
  if (isErrorCode(error, "conflict")) {
    return new AuthorizerError("unavailable", error.message, { cause: error, retryAfterSeconds: 1 });
  }
  if (!isErrorCode(error, "invalid_request") || error.problems.length === 0) return error;
  const shown = error.problems.slice(0, MAX_PROBLEMS).map(({ pointer, message }) => {
    return pointer === "" ? message : `${pointer}: ${message}`;
  });
  const more = error.problems.length - shown.length;
  return new AuthorizerError("invalid_request", [...shown, ...(more > 0 ? [`${more} more`] : [])].join("; "));
}
