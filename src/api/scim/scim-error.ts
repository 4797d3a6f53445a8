/** Errors of SCIM (RFC 7644, section 3.12): a status, for some a word that programs understand, and a text. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { type ErrorReply, errorReply, RequestRefused } from "../../http/errors.ts";

/** Words of RFC 7644 that name the kind of an error. */
type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "uniqueness";

/** A refusal with a word of its own. */
export class ScimError extends RequestRefused {
  readonly scimType: ScimType;

  constructor(scimType: ScimType, message: string) {
    super(400, message);
    this.name = "ScimError";
    this.scimType = scimType;
  }
}

/** The media type of SCIM. */
export const SCIM_TYPE = "application/scim+json";
const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

/** An error as SCIM answers it. */
export function scimRefusal(error: unknown): ErrorReply {
  const reply = errorReply(inTurn(error));
  const { message = "" } = JSON.parse(reply.body) as { readonly message?: string };
  const scimType = typeOf(error);
  const body = {
    schemas: [ERROR_SCHEMA],
    status: String(reply.status),
    ...(scimType !== undefined && { scimType }),
    detail: detailOf(error) ?? message,
  };
  return { ...reply, type: SCIM_TYPE, body: JSON.stringify(body) };
}

/** A write that lost too many races is to be sent again. */
function inTurn(error: unknown): unknown {
  if (!isErrorCode(error, "conflict")) return error;
  return new AuthorizerError("unavailable", error.message, { cause: error, retryAfterSeconds: 1 });
}

function typeOf(error: unknown): ScimType | undefined {
  if (error instanceof ScimError) return error.scimType;
  if (isErrorCode(error, "already_exists")) return "uniqueness";
  if (error instanceof RequestRefused || !isErrorCode(error, "invalid_request")) return undefined;
  return error.problems.some(({ pointer }) => pointer === "") ? "invalidSyntax" : "invalidValue";
}

function detailOf(error: unknown): string | undefined {
  if (!isErrorCode(error, "invalid_request") || error.problems.length === 0) return undefined;
  const shown = error.problems.slice(0, 20);
  return shown
    .map(({ pointer, message }) => (pointer === "" ? message : `${pointer.slice(1)}: ${message}`))
    .join("; ");
}
