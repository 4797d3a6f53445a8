/**
 * Who calls: access keys, login tokens and signatures of end users, verified against the directory (security.md §1.1,
 * security.md §2.6 to security.md §2.11, security.md §4.4). This file is the contract of the room, `open-identities.ts`
 * builds it. A result that is at hand comes at once, not as a promise: forward-auth pays no turn of the event loop for
 * it.
 */

/** A user who proved to be one. */
export interface Identity {
  readonly username: string;
  /** Internal id, never reused. */
  readonly userId: string;
  readonly how: "access_key" | "login_token" | "signature";
  /** The key used, for the audit log; of a login token, the key it was issued for, if any. */
  readonly accessKeyId?: string;
  /** Of a login token: its `jti`, or a digest of a token that has none. */
  readonly tokenId?: string;
  /** Of a login token: Unix seconds. */
  readonly expiresAt?: number;
}

/** A login token. */
export interface IssuedToken {
  readonly token: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** A request signed with AWS Signature Version 4, as it was on the wire. */
export interface SignedRequest {
  readonly method: string;
  /** Raw path, not normalised. */
  readonly path: string;
  /** Raw query without `?`. */
  readonly query: string;
  /**
   * Lower-case names, characters standing for bytes (as Node gives them); values of a repeated name joined by "," without
   * a blank. `host` and `content-length` as the client sent them (security.md §2.8).
   */
  readonly headers: ReadonlyMap<string, string>;
}

/** Why a signature is refused, in the words of S3. */
export type SignatureFault =
  | "SignatureDoesNotMatch"
  | "RequestTimeTooSkewed"
  | "InvalidAccessKeyId"
  | "AuthorizationHeaderMalformed"
  | "AuthorizationQueryParametersError"
  | "AccessDenied";

/** Plain numbers, read when metrics are scraped. */
export interface IdentityCounters {
  /** Access keys and login tokens found in the cache. */
  cacheHits: number;
  cacheMisses: number;
  /** Wrong secrets and signatures, those of keys that do not exist among them. */
  failures: number;
  /** Failures beyond the limit of a key and source. */
  throttled: number;
}

/**
 * Verifies who calls. What is refused throws at once or rejects, "unauthenticated"; a store that fails throws
 * "unavailable". Neither is kept.
 *
 * Failures are counted per access key and source. "A correct credential is never delayed" (security.md §2.10) means
 * that every attempt is compared, before and after the limit: over it, a wrong one is refused as {@link TooManyFailures},
 * is counted as throttled, and costs no read of the store for an id that it does not have (a key made on this node is
 * known at once, one made on another within the cache's time). So nobody can lock a user out by failing in the user's
 * name, and secrets are random texts that no rate of guessing finds.
 */
export interface Identities {
  /**
   * The user of an access key. Compares in constant time, also for unknown keys.
   * @param source address that the attempt comes from, for counting failures
   * @throws AuthorizerError "unauthenticated"; the message does not say which of both is wrong. {@link TooManyFailures}
   * after too many.
   */
  withAccessKey(accessKeyId: string, secret: string, source: string): Identity | Promise<Identity>;
  /** The user of a login token; throws "unauthenticated" also for one issued before the user's keys changed. */
  withLoginToken(token: string): Identity | Promise<Identity>;
  /**
   * The user who signed the request line and headers; the body is not looked at, whatever form its signature has
   * (security.md §2.8). Throws {@link SignatureRefused}.
   */
  withSignature(request: SignedRequest, source: string): Identity | Promise<Identity>;
  /**
   * Issues a login token for the user, valid for `seconds`, or for `auth.login_duration` where that is absent. Throws
   * "invalid_request" where `seconds` is no whole number from 1 to `auth.login_max_duration`, "unauthenticated" where
   * the user or key of the identity is gone meanwhile.
   */
  issueLoginToken(identity: Identity, seconds?: number): Promise<IssuedToken>;
  /**
   * Ends a login token for good: its id is claimed until the token has expired. One that has ended already is no error;
   * "invalid_request" for an identity without token.
   * @param expiresAt Unix seconds; the identity's own where that is later
   */
  logout(identity: Identity, expiresAt: number): Promise<void>;
  readonly counters: IdentityCounters;
  close(): void;
}
