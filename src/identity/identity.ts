/**
 * Authentication of end users by access keys, login tokens and signatures (spec/security §1.1, spec/security §2.6 to
 * spec/security §2.11, spec/security §4.4). This file is the contract; `open-identities.ts` builds it. A cached result is
 * returned directly, not as a promise, so forward-auth needs no turn of the event loop for it.
 */

import type { ExpiringCredential } from "@svc-authorizer/policy/model/entities.ts";
import type { SessionCookieName } from "./session-cookies/sealed-cookie.ts";

/** An authenticated user. */
export interface Identity {
  readonly username: string;
  /** Internal id, never reused. */
  readonly userId: string;
  readonly how: "access_key" | "login_token" | "signature" | "session_cookie";
  /** The access key, for the audit log. For a login token, the key for which it was issued, if any. */
  readonly accessKeyId?: string;
  /** For a login token: its `jti`, or a digest of a token without one; for a session cookie, a digest. */
  readonly tokenId?: string;
  /** For a login token: name of the identity provider that vouched for the user, if one did. */
  readonly issuer?: string;
  /** For a login token and a session cookie: Unix seconds. */
  readonly expiresAt?: number;
  /** For a login token: the beginning of the user's sessions to which it belongs, as `Session.since`. */
  readonly since?: string;
  /** Present for a user that works for the service itself, which may make calls of data servers alone. */
  readonly isOfService?: true;
}

/** The part of a request that a verified signature covers. */
export interface SignedPart {
  /** SHA-256 of the canonical request in hexadecimal digits. */
  readonly digest: string;
  /** Names of the signed headers, sorted and joined by `;`. */
  readonly signedHeaders: string;
}

/** A user who signed a request in its header or query. */
export interface Signatory extends Identity {
  readonly signed: SignedPart;
}

/** The name and the value of a session cookie of a data server. */
export interface ShownSession {
  readonly name: SessionCookieName;
  readonly value: string;
}

/** A login token. */
export interface IssuedToken {
  readonly token: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** Headers by lower-case name, each once. A `Map` is one. */
export interface SentHeaders {
  get(name: string): string | undefined;
  has(name: string): boolean;
  /** The names of all. */
  keys(): Iterable<string>;
}

/** A request signed with AWS Signature Version 4, as it was on the wire. */
export interface SignedRequest {
  readonly method: string;
  /** Raw path, not normalised. */
  readonly path: string;
  /** Raw query without `?`. */
  readonly query: string;
  /**
   * Headers by lower-case name. Each character is one byte (as Node delivers them); values of a repeated name are
   * joined by "," without a blank. `host` and `content-length` are those that the client sent (spec/security §2.8).
   */
  readonly headers: SentHeaders;
}

/** The signatures of the chunks of one body, in their order. Compared in constant time. */
export interface ChunkSignatures {
  /**
   * True if the next chunk has this signature.
   * @param digest SHA-256 of its data in hexadecimal digits
   */
  isNext(digest: string, given: string): boolean;
  /**
   * True if the trailer behind the last chunk has this signature.
   * @param digest SHA-256 of its lines in hexadecimal digits
   */
  isTrailer(digest: string, given: string): boolean;
}

/** The reason for refusing a signature: an error code of S3. */
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
  /** Wrong secrets and signatures, including those for unknown keys. */
  failures: number;
  /** Failures beyond the limit of a key and source. */
  throttled: number;
}

/**
 * Authenticates callers. A refusal throws or rejects with "unauthenticated", a failing store with "unavailable".
 * Neither is cached.
 *
 * Failures are counted for each pair of access key and source. A correct credential is never delayed
 * (spec/security §2.10): every attempt is compared, also over the limit. Over it, a wrong attempt is refused as {@link
 * TooManyFailures}, counts as throttled, and causes no read of the store for an unknown id (a key made on this node is
 * known at once, one made on another node within the cache's time). So nobody can lock out a user with failing
 * attempts, and secrets are random texts that no rate of guessing finds.
 */
export interface Identities {
  /**
   * Authenticates with an access key. Compares in constant time, also for unknown keys.
   * @param source address of the attempt, for counting failures
   * @throws AuthorizerError "unauthenticated"; the message does not say whether the id or the secret is wrong. {@link
   * TooManyFailures} over the limit.
   */
  withAccessKey(accessKeyId: string, secret: string, source: string): Identity | Promise<Identity>;
  /** Authenticates with a login token. Also throws "unauthenticated" for one issued before the user's keys changed. */
  withLoginToken(token: string): Identity | Promise<Identity>;
  /**
   * Authenticates with a session cookie of a data server (spec/sign-in §5). Undefined for a cookie that says nothing about
   * anybody: it is no failed attempt, since browsers keep such cookies for longer than they hold.
   */
  withSession(session: ShownSession): Identity | undefined | Promise<Identity | undefined>;
  /**
   * Authenticates with the signature of request line and headers. The body is never verified (spec/security §2.8). Throws
   * {@link SignatureRefused}.
   */
  withSignature(request: SignedRequest, source: string): Signatory | Promise<Signatory>;
  /**
   * The signatures of the chunks of a body, which follow that of the request (spec/exchange §6). The request's own is verified
   * once more, and counts as no attempt. Throws {@link SignatureRefused}.
   */
  chunksOf(request: SignedRequest): ChunkSignatures | Promise<ChunkSignatures>;
  /** The session token of a temporary access key, which requests signed with the key may show. */
  sessionTokenOf(key: ExpiringCredential): string;
  /**
   * Issues a login token for the user, valid for `seconds` (default `auth.login_duration`). Throws "invalid_request" if
   * `seconds` is not an integer from 1 to `auth.login_max_duration`, "unauthenticated" if the user or key no longer
   * exists, or its sessions ended after those of `since`. The token outlives neither the access key nor the login token that
   * the identity was known by.
   */
  issueLoginToken(
    identity: Pick<Identity, "username" | "userId" | "accessKeyId" | "issuer" | "expiresAt" | "since"> & {
      /** The way and the address of the sign-in, which administrators are shown. */
      readonly origin?: { readonly how: string; readonly source?: string };
    },
    seconds?: number,
  ): Promise<IssuedToken>;
  /**
   * Revokes a login token: its id stays claimed until the token has expired. Revoking a revoked token is no error; an
   * identity without token is "invalid_request".
   * @param expiresAt Unix seconds; the expiry of the identity if that is later
   */
  logout(identity: Identity, expiresAt: number): Promise<void>;
  readonly counters: IdentityCounters;
  /** Resolves when every login token that was issued is noted, or lost. */
  close(): Promise<void>;
}
