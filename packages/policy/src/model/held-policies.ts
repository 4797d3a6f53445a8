/** Policies as their holders have them. */

import type { EffectivePolicy, Via } from "./policy.ts";

/** A policy as it is stored, whoever holds it. */
export type StoredPolicy = Omit<EffectivePolicy, "via">;

/** The policies attached to the user itself or to one group of the user. */
export interface HeldPolicies {
  /** Internal id of the holder. */
  readonly holder: string;
  readonly via: Via;
  /** Sorted by name in UTF-8 byte order. Of a group, the same list for all members for as long as nothing changes. */
  readonly policies: readonly StoredPolicy[];
}
