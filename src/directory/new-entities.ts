/** Input for creating or replacing users, groups and policies, one by one or in batches. */

import type { Group, User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";

/** Input of `users.create`. */
export interface NewUser extends Omit<User, "creation_date"> {
  /** Unix seconds; now where absent. */
  readonly creation_date?: number;
}

/** Input of creating or replacing a group. */
export interface NewGroup extends Omit<Group, "creation_date"> {
  /** Unix seconds; now where absent. */
  readonly creation_date?: number;
}

/** Input of creating or replacing a policy. */
export interface NewPolicy extends Omit<Policy, "creation_date"> {
  /** Unix seconds; now where absent. */
  readonly creation_date?: number;
}
