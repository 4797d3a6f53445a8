/** Errors that callers of a writer get. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { TROUBLE_CLAUSES, type TroubleKind } from "../store/trouble.ts";
import { troubleKind } from "./trouble-state.ts";

/** The error of a commit whose outcome is not known in time (spec/journal §2.5). */
export function outcomeUnknown(): AuthorizerError {
  const message =
    "the database did not answer in time: the change may have happened or may still happen; look before trying again";
  return new AuthorizerError("outcome_unknown", message, { retryAfterSeconds: 5 });
}

/** The error of a commit to a store that is closed. */
export function writerClosed(): AuthorizerError {
  return new AuthorizerError("unavailable", "The store is closed.");
}

/** The refusal of a change while there is no contact. */
export function noContact(kind: TroubleKind = "away"): AuthorizerError {
  const clause = TROUBLE_CLAUSES[kind];
  const message = `${clause.charAt(0).toUpperCase()}${clause.slice(1)}: nothing can be changed now.`;
  return new AuthorizerError("unavailable", message, { retryAfterSeconds: 1 });
}

/** The error of a commit that was not sent; one that says more stays as it is. */
export function asUnavailable(cause: unknown): unknown {
  if (cause instanceof AuthorizerError) return cause;
  const reason = TROUBLE_CLAUSES[troubleKind(cause)];
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
