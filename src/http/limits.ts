/** Limits of a server, and the headers that say so (`authorizer.limits`, spec/decision-api §1). */

/** Milliseconds for which a connection may be idle. */
export const KEEP_ALIVE_MS = 95_000;

/** The header that tells clients so: one that closes its connection before we do loses no request. */
export const KEEP_ALIVE = `timeout=${KEEP_ALIVE_MS / 1000}`;

/** A header of every answer of every listener: a browser must not guess what an answer is. */
export const NO_SNIFF = ["X-Content-Type-Options", "nosniff"] as const;

/** Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  /** Requests that may wait for their answer at once. */
  readonly queue: number;
  readonly bodyBytes: number;
  /** All bodies together that have not arrived whole. */
  readonly bodiesBytes: number;
  /** Answers that callers have not taken, and requests sent ahead of them, all together. */
  readonly answersBytes: number;
  /** Long answers to trusted peers who showed no credential, all together. */
  readonly trustedAnswersBytes: number;
  /** Time in which the body of a call without credentials must arrive. */
  readonly anonymousBodyTimeoutMs: number;
  /** Heavy requests that run at once. */
  readonly bulkConcurrency: number;
  readonly headersBytes: number;
  readonly requestTimeoutMs: number;
  /** Deepest nesting of a JSON body. */
  readonly jsonDepth: number;
  /** Most values of a JSON body: elements of arrays and members of objects, at every depth. */
  readonly jsonValues: number;
}
