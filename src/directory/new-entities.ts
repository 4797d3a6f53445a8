/** What creates or replaces users and policies, one by one or in batches. */

import type { User } from "../model/entities.ts";
import type { Policy } from "../model/policy.ts";

/** What `users.create` takes. */
export interface NewUser extends Omit<User, "creation_date"> {
  /** Unix seconds; now where absent. */
  readonly creation_date?: number;
}

/** What creating or replacing a policy takes. */
export interface NewPolicy extends Omit<Policy, "creation_date"> {
  /** Unix seconds; now where absent. */
  readonly creation_date?: number;
}
