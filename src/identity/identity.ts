/**
 * Who calls: access keys, login tokens and signatures of end users, verified against the directory (security.md §1.1,
 * §2.6 to §2.11, §4.4). This file is the contract of the room, `open-identities.ts` builds it. A result that is at
 * hand comes at once, not as a promise: forward-auth pays no turn of the event loop for it.
 */

/** A user who proved to be one. */
export interface Identity {
  readonly username: string;
  /** Internal id, never reused. */
  readonly userId: string;
  readonly how: "access_key" | "login_token" | "signature";
  /** The key used, for the audit log; of a login token, the key it was issued for, if any. */
  readonly accessKeyId?: string;
  /** `jti` of a login token. */
  readonly tokenId?: string;
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
  /** Lower-case names; `host` and `content-length` as the client sent them (security.md §2.8). */
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

/** Verifies who calls. */
export interface Identities {
  /**
   * The user of an access key. Compares in constant time, also for unknown keys.
   * @param source address that the attempt comes from, for counting failures
   * @throws AuthorizerError "unauthenticated"; the message does not say which of both is wrong
   */
  withAccessKey(accessKeyId: string, secret: string, source: string): Identity | Promise<Identity>;
  /** The user of a login token; throws "unauthenticated" also for one issued before the user's keys changed. */
  withLoginToken(token: string): Identity | Promise<Identity>;
  /** The user who signed; throws {@link SignatureRefused}. */
  withSignature(request: SignedRequest, source: string): Identity | Promise<Identity>;
  /** A login token for the user, valid at most `auth.login_max_duration`. */
  issueLoginToken(identity: Identity): Promise<IssuedToken>;
  /** Ends a login token for good. */
  logout(identity: Identity, expiresAt: number): Promise<void>;
  /** Plain numbers, read when metrics are scraped. */
  readonly counters: { cacheHits: number; cacheMisses: number; failures: number; throttled: number };
  close(): void;
}
