/** Limits of the HTTP edge (`authorizer.limits`, decision-api.md §1). */

/** Sizes in bytes of UTF-8, times in milliseconds. */
export interface HttpLimits {
  /** Requests that may wait for their answer at once. */
  readonly queue: number;
  readonly bodyBytes: number;
  /** For `/filter` and `/simulate`. */
  readonly bulkBodyBytes: number;
  /** Bulk requests that run at once. */
  readonly bulkConcurrency: number;
  /** Most elements of `/evaluations`. */
  readonly batch: number;
  readonly headersBytes: number;
  readonly requestTimeoutMs: number;
  readonly arnBytes: number;
  readonly actionBytes: number;
  /** Longest text of a policy that a request brings. */
  readonly policyBytes: number;
  /** Most nodes of a tree of required permissions. */
  readonly treeNodes: number;
  /** Deepest nesting of a JSON body. */
  readonly jsonDepth: number;
}

/** The defaults of decision-api.md §1. */
export const DEFAULT_LIMITS: HttpLimits = {
  queue: 1000,
  bodyBytes: 1 << 20,
  bulkBodyBytes: 16 << 20,
  bulkConcurrency: 4,
  batch: 1000,
  headersBytes: 16 << 10,
  requestTimeoutMs: 30_000,
  arnBytes: 4 << 10,
  actionBytes: 256,
  policyBytes: 100 << 10,
  treeNodes: 1000,
  jsonDepth: 32,
};

/** Most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** True when a text takes at most `bytes` bytes in UTF-8; does not count where the length alone decides. */
export function fits(text: string, bytes: number): boolean {
  return text.length * BYTES_PER_UNIT <= bytes || (text.length <= bytes && Buffer.byteLength(text) <= bytes);
}
