/**
 * Users that work for the service itself, such as for a mirror. Nobody can sign in as one: it has no password, no external
 * identity, no session, and no access key but those that are made here, which no list has and which expire.
 */

import type { ExpiringCredential } from "@svc-authorizer/policy/model/entities.ts";
import type { NewPolicy } from "./new-entities.ts";

/** A user that works for the service, with its one policy. */
export interface ServiceUser {
  readonly username: string;
  /** The work, by an id of its own: a user of the same name that does another work is another one. */
  readonly worksFor: string;
  /** Has the name of the user. */
  readonly policy: Omit<NewPolicy, "name">;
}

/** An access key of such a user. */
interface ServiceKey {
  readonly key: ExpiringCredential;
  /** True where the user was made for it. */
  readonly isNewUser: boolean;
}

/** The use cases on them. */
export interface ServiceUsers {
  /**
   * Makes an access key, after the user, its policy and the attachment of both were made what they have to be.
   * @throws AuthorizerError "already_exists" where the user or the policy of the name is somebody else's
   */
  createKey(user: ServiceUser, seconds: number): Promise<ServiceKey>;
  /** The work of the user of a name; undefined where there is no such user, or it is a person's. */
  worksFor(username: string): Promise<string | undefined>;
  /** Removes a user with its policy and keys; false where there is none that does this work. */
  delete(username: string, worksFor: string): Promise<boolean>;
}
