/** Tokens of identity providers by OpenID Connect (spec/security §7). This file is the contract; `open-oidc.ts` builds it. */

/** One of `authorizer.oidc.issuers`. */
export interface OidcIssuer {
  /** Name for logs and records. */
  readonly name: string;
  /** The exact `iss` of its tokens. */
  readonly issuer: string;
  /** The `aud` of its tokens, one of which is enough. */
  readonly audience: readonly string[];
  /** Asymmetric ones only, so that no key of this service or of a client verifies a token. */
  readonly algorithms: readonly string[];
  /** Address of its keys; undefined: its discovery document names it. */
  readonly jwksUri: string | undefined;
  /** Claim with the name of the user. */
  readonly usernameClaim: string;
  /** Claim with the names of groups. */
  readonly groupsClaim: string;
  /** Patterns of the names of groups that its tokens may assert for a user whom the directory does not know. */
  readonly assertGroups: readonly string[];
  /** True: a token may stand for a user of the directory who has the name. */
  readonly directoryUsers: boolean;
  /** Claims that its tokens must have, each with the values that count; a token without them does not hold. */
  readonly requiredClaims: ReadonlyMap<string, readonly string[]>;
  /** Milliseconds by which clocks may differ. */
  readonly clockTolerance: number;
}

/** The subject of a verified token. */
export interface OidcSubject {
  readonly how: "oidc_token";
  readonly username: string;
  /** The groups as the token has them: not yet those that count. */
  readonly groups: unknown;
  /** True: the token says that its groups are kept elsewhere (OpenID Connect Core 1.0, section 5.6.2), and has none. */
  readonly groupsAreElsewhere: boolean;
  readonly issuer: OidcIssuer;
}

/** Verifies tokens. */
export interface OidcTokens {
  /** The name of the configured issuer that a token says made it; undefined for no such issuer. Nothing is verified. */
  claimedIssuer(token: string): string | undefined;
  /**
   * The subject of a token; at once for a token that was verified a moment ago.
   * @throws AuthorizerError "unauthenticated" for a token that does not hold, "unavailable" where the keys of the issuer
   * cannot be had
   */
  verify(token: string): OidcSubject | Promise<OidcSubject>;
}
