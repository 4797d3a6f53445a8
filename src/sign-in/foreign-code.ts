/** Codes that clients of a data server bring (spec/sign-in §3). */

/** A code that another client brings, with what it was asked for with. */
export interface ForeignCode {
  readonly code: string;
  readonly redirectUri: string;
  /** Of PKCE. */
  readonly verifier: string;
}
