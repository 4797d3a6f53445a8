/** The errors that every backend gives in the same words. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** For any call on a store after `close()`. */
export function storeClosed(): AuthorizerError {
  return new AuthorizerError("unavailable", "The store is closed.");
}

/** For reading a snapshot after `release()`: a fault of the program, not of the store. */
export function snapshotReleased(): AuthorizerError {
  return new AuthorizerError("internal", "A snapshot of the store was read after its release.");
}

/** For a commit that an expectation stopped. Names neither key nor partition: the message may reach a caller. */
export function expectationFailed(): AuthorizerError {
  return new AuthorizerError("conflict", "The data was changed by somebody else in the meantime.");
}

/** For the state at a revision that is not kept any more, or does not exist yet. */
export function revisionNotKept(revision: number, oldest: number, newest: number): AuthorizerError {
  const message = `Revision ${revision} cannot be read: the states of revisions ${oldest} to ${newest} are kept.`;
  return new AuthorizerError("not_found", message);
}
