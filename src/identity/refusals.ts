/** Why somebody is not who they say. Messages never say which part of a credential is wrong, and never repeat one. */

import { AuthorizerError } from "../errors.ts";
import type { SignatureFault } from "./identity.ts";

/** "unauthenticated" for a key and secret, or a token, that is not valid. */
export function refused(what: "credentials" | "login token"): AuthorizerError {
  return new AuthorizerError(
    "unauthenticated",
    what === "credentials" ? "the access key or its secret is not valid" : "the login token is not valid",
  );
}

/**
 * "unauthenticated" for a wrong secret after too many of the same key and source. Entrances that can say so answer 429;
 * forward-auth answers 401 as to any other (security.md §2.10).
 */
export class TooManyFailures extends AuthorizerError {
  constructor(retryAfterSeconds: number) {
    super("unauthenticated", "the access key or its secret is not valid; too many attempts have failed", {
      retryAfterSeconds,
    });
    this.name = "TooManyFailures";
  }
}

/** "unauthenticated" for a signed request, with the error code that S3 has for it. */
export class SignatureRefused extends AuthorizerError {
  readonly fault: SignatureFault;

  constructor(fault: SignatureFault, message: string) {
    super("unauthenticated", message);
    this.name = "SignatureRefused";
    this.fault = fault;
  }
}
