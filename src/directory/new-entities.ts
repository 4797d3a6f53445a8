/** What creates or replaces users and policies, one by one or in batches. */

import type { Properties } from "../model/entities.ts";
import type { Statement } from "../model/policy.ts";

/** What `users.create` takes. */
export interface NewUser {
  readonly username: string;
  /** Unix seconds; now where absent. */
  readonly creation_date?: number;
  readonly friendly_name?: string;
  readonly email?: string;
  readonly source?: string;
  readonly external_id?: string;
  readonly encryptedPassword?: string;
  readonly properties?: Properties;
}

/** What creating or replacing a policy takes. */
export interface NewPolicy {
  readonly name: string;
  readonly statement: readonly Statement[];
  readonly creation_date?: number;
  readonly acl?: string;
}
