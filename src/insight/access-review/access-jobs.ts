/** The jobs of the thread that learns from use. What is large is JSON as bytes, which cost little to send. */

import type { ReviewedChange } from "@svc-authorizer/policy/records/review/review.ts";
import type { Generalisation } from "./suggest/generalise.ts";

/** Suggests policies; exactly one of user and group is given, and exists. */
export interface SuggestJob {
  readonly kind: "suggest";
  /** A `SuggestSubject` as JSON. */
  readonly subject: Uint8Array;
  readonly user: string | undefined;
  readonly group: string | undefined;
  /** Unix milliseconds. */
  readonly since: number;
  readonly until: number;
  readonly generalise: Generalisation;
  /** File of the index of records, which has all that was recorded until now. */
  readonly index: string;
  /** Name of this node, and of others that decide too. */
  readonly node: string;
  readonly otherNodes: readonly string[];
  /** The share of allowed decisions that is recorded; undefined for all. */
  readonly share: number | undefined;
  /** Unix milliseconds since when decisions are recorded as they are now. */
  readonly recordedSince: number;
  /** Largest policy (`authorizer.limits.policy_bytes`). */
  readonly policyBytes: number;
}

/** Makes a review. */
export interface ReviewJob {
  readonly kind: "review";
  /** A `DirectoryImage` as JSON. */
  readonly image: Uint8Array;
  /** A `KnownUse` as JSON. */
  readonly use: Uint8Array;
  /** Unix milliseconds. */
  readonly now: number;
  /** Unix milliseconds. */
  readonly since: number;
  readonly node: string;
  /** Changes since then, newest first. */
  readonly changes: readonly ReviewedChange[];
  /** True where there are more of them. */
  readonly moreChanges: boolean;
  /** True where some are no longer kept. */
  readonly changesLost: boolean;
}

/** A job. */
export type AccessJob = SuggestJob | ReviewJob;

/** The answer of a job: a body, or why there is none. */
export type AccessResult = { readonly body: string } | { readonly refused: string };

/** Data of the thread. */
export interface AccessThreadData {
  readonly partition: string;
}
