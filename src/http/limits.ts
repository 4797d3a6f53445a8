/** Limits of a server (`authorizer.limits`, decision-api.md §1). */

/** Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  /** Requests that may wait for their answer at once. */
  readonly queue: number;
  readonly bodyBytes: number;
  /** Heavy requests that run at once. */
  readonly bulkConcurrency: number;
  readonly headersBytes: number;
  readonly requestTimeoutMs: number;
  /** Deepest nesting of a JSON body. */
  readonly jsonDepth: number;
}
