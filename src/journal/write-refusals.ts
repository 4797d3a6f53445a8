/** Errors that callers of a writer get. */

import { AuthorizerError } from "../errors.ts";
import { NothingDone } from "./engine.ts";

/** The error of a commit whose outcome is not known in time (journal.md §2.5). */
export function outcomeUnknown(): AuthorizerError {
  const message =
    "the database did not answer in time: the change may have happened or may still happen; look before trying again";
  return new AuthorizerError("outcome_unknown", message, { retryAfterSeconds: 5 });
}

/** The error of a commit to a store that is closed. */
export function writerClosed(): AuthorizerError {
  return new AuthorizerError("unavailable", "The store is closed.");
}

/** The error of a commit that was not sent; one that says more stays as it is. */
export function asUnavailable(cause: unknown): unknown {
  if (cause instanceof AuthorizerError) return cause;
  const reason = cause instanceof NothingDone ? cause.message : "the database cannot be reached";
  return new AuthorizerError("unavailable", `Nothing was changed: ${reason}.`, {
    cause,
    retryAfterSeconds: 1,
  });
}

/** The refusal while a new copy is made of a log that went back. */
export function copyIsMadeAnew(): AuthorizerError {
  return new AuthorizerError(
    "unavailable",
    "This node makes a new copy of the directory, as the database went back: nothing can be changed now.",
    { retryAfterSeconds: 1 },
  );
}
