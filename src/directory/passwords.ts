/** Passwords of users (spec/sign-in §6). `write/passwords.ts` builds it; hashes are made and compared elsewhere. */

/** The hash of the password of a user. */
interface OwnedPassword {
  /** Internal id, never reused. */
  readonly userId: string;
  readonly username: string;
  /** In clear, as it was made. */
  readonly hash: string;
  /** Unix milliseconds. */
  readonly setAt: number;
  /** The beginning of the user's sessions in the same state, as `Session.since`. */
  readonly since: string;
}

/** The use cases. */
export interface Passwords {
  /** The password of an active user; undefined where there is no such user, or none with a password. */
  find(username: string): Promise<OwnedPassword | undefined>;
  /**
   * Gives a user a password in place of any other, and ends all sessions of the user, in one commit. "not_found" where the
   * name is no longer that of an active user with this internal id.
   * @returns the beginning of the user's sessions from then on
   * @param replaced hash that the user has to have still, else "conflict"; undefined: whatever it has
   */
  set(
    user: { readonly username: string; readonly userId: string },
    hash: string,
    replaced?: string,
  ): Promise<{ readonly since: string }>;
}
