/**
 * Errors of authentication. A message never says which part of a credential is wrong, and never repeats a credential.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { SignatureFault } from "./identity.ts";

/** "unauthenticated" for an invalid key and secret, or an invalid token. */
export function refused(what: "credentials" | "login token"): AuthorizerError {
  return new AuthorizerError(
    "unauthenticated",
    what === "credentials" ? "the access key or its secret is not valid" : "the login token is not valid",
  );
}

/** Takes "unauthenticated" for nobody, and throws every other error. */
export function orNobody(error: unknown): undefined {
  if (!isErrorCode(error, "unauthenticated")) throw error;
}

/**
 * "unauthenticated" for a wrong secret over the limit of a key and source. APIs answer 429; forward-auth answers 401
 * (spec/security §2.10).
 */
export class TooManyFailures extends AuthorizerError {
  constructor(retryAfterSeconds: number) {
    super("unauthenticated", "the access key or its secret is not valid; too many attempts have failed", {
      retryAfterSeconds,
    });
    this.name = "TooManyFailures";
  }
}

/** "unauthenticated" for a signed request, with the error code of S3. */
export class SignatureRefused extends AuthorizerError {
  readonly fault: SignatureFault;

  constructor(fault: SignatureFault, message: string) {
    super("unauthenticated", message);
    this.name = "SignatureRefused";
    this.fault = fault;
  }
}
