/** Answers of the token endpoint and their errors (RFC 6749, sections 5.1 and 5.2). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { type ErrorReply, errorReply } from "../../../http/errors.ts";
import type { Reply } from "../../../http/route.ts";
import { NO_STORE } from "../../rest/operation.ts";

/** Codes of refusals, of RFC 6749, RFC 8628 and RFC 8693. */
type OAuthCode =
  | "access_denied"
  | "authorization_pending"
  | "expired_token"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "slow_down"
  | "unsupported_grant_type";

/** A refusal that the program reads. */
export class OAuthRefused extends AuthorizerError {
  readonly oauthCode: OAuthCode;

  constructor(oauthCode: OAuthCode, message: string, cause?: unknown) {
    super("invalid_request", message, { cause });
    this.name = "OAuthRefused";
    this.oauthCode = oauthCode;
  }
}

/** An answer 200. */
export function oauthReply(body: object): Reply {
  return { status: 200, body: JSON.stringify(body), headers: NO_STORE };
}

/** The answer to an error. */
export function oauthRefusal(error: unknown): ErrorReply {
  const reply = errorReply(error);
  const code =
    error instanceof OAuthRefused
      ? error.oauthCode
      : reply.status >= 500
        ? "temporarily_unavailable"
        : "invalid_request";
  const message = reply.errorId === undefined ? (error as Error).message : `internal error ${reply.errorId}`;
  const body = JSON.stringify({ error: code, error_description: message });
  return {
    ...reply,
    body,
    headers: [...NO_STORE, ...reply.headers],
    recorded: error instanceof OAuthRefused,
  };
}
