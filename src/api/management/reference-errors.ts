/** Errors in the words of the reference, which people and scripts know (management-cli.md §1). */

import { AuthorizerError, isErrorCode } from "../../errors.ts";
import { RequestRefused } from "../../http/errors.ts";
import { withPlainMessage } from "../data-server/serve-operation.ts";

/** What operations answer that the reference has and this service has not. */
export function notImplemented(): RequestRefused {
  return new RequestRefused(501, "Not Implemented");
}

/**
 * An error as this API answers it.
 * @param missing text for what is not there
 */
export function inReferenceWords(error: unknown, missing = "not found"): unknown {
  if (isErrorCode(error, "not_found")) return reworded(error, missing);
  if (isErrorCode(error, "already_exists")) return reworded(error, "Already exists");
  return withPlainMessage(error);
}

/** A text that an operation chose itself stays. */
export class Worded extends AuthorizerError {}

function reworded(error: AuthorizerError, message: string): AuthorizerError {
  return error instanceof Worded ? error : new AuthorizerError(error.code, message, { cause: error });
}
