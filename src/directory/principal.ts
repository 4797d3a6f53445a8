/** Users, and groups without one, as decisions read them. */

import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { HeldPolicies } from "@svc-authorizer/policy/model/held-policies.ts";
import type { EffectivePolicy } from "@svc-authorizer/policy/model/policy.ts";

/** Everything a decision about one user needs, read from one state of the store. */
export interface Principal {
  /** Internal id, never reused. */
  readonly id: string;
  readonly username: string;
  readonly properties: Properties;
  /** True for a user who can do nothing: no policy is held, and nothing passes that any user may do. */
  readonly isInactive: boolean;
  /** True for a user that works for the service itself: nobody signs in as it, and no token of a provider stands for it. */
  readonly isOfService: boolean;
  /** Internal ids of the user's groups: what a change of a group touches. */
  readonly groups: readonly string[];
  /** The policies by holder. A policy of several holders is in each list. */
  readonly held: readonly HeldPolicies[];
  /** All of them, distinct by name, sorted by name in UTF-8 byte order. Made when they are first read. */
  readonly policies: readonly EffectivePolicy[];
}

/** Everything a decision needs about a subject that is a member of groups and no user of the directory. */
export interface GroupPrincipal extends Principal {
  /** The groups that exist, in UTF-8 byte order. */
  readonly names: readonly string[];
  /** True if all of the groups exist. */
  readonly isComplete: boolean;
}
