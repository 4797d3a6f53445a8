/** Passwords that the directory keeps: signing in with one, and giving a user a new one (spec/sign-in §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { Directory } from "../directory/directory.ts";
import { sourceOf } from "../identity/failed-attempts.ts";
import type { HashingPlaces } from "../identity/passwords/hashing-places.ts";
import { hashPassword, isPasswordOf, NOBODYS_HASH } from "../identity/passwords/password-hash.ts";
import { assertNewPassword, type PasswordRules } from "../identity/passwords/password-rules.ts";
import type { PasswordAttempt, PasswordPerson, PasswordWay } from "./password-sign-in.ts";

/** The parts. */
interface DirectoryPasswordParts {
  readonly directory: Pick<Directory, "passwords" | "users">;
  readonly places: HashingPlaces;
  readonly rules: PasswordRules;
  /** `authorizer.passwords.linked_users`. */
  readonly countsForLinked: boolean;
}

/** A user as a password is given to it. */
type PasswordOwner = Pick<User, "username"> & { readonly userId: string };

/** Sources of users whose passwords are kept elsewhere. */
const PROVIDERS: ReadonlySet<string> = new Set(["scim", "oidc", "ldap", "remote"]);

/** True for a user whom an identity provider made or is linked to: its password is the provider's matter. */
export function isOfProvider({ source, external_id }: Pick<User, "source" | "external_id">): boolean {
  return external_id !== undefined || (source !== undefined && PROVIDERS.has(source));
}

/** Passwords of the directory. */
export class DirectoryPasswords implements PasswordWay {
  readonly isElsewhere = false;
  readonly way = { name: "password", title: "Password" };
  readonly #parts: DirectoryPasswordParts;

  constructor(parts: DirectoryPasswordParts) {
    this.#parts = parts;
  }

  /** `authorizer.passwords.min_length`. */
  get minLength(): number {
    return this.#parts.rules.minLength;
  }

  async verify(attempt: PasswordAttempt, assertAllowed: () => void): Promise<PasswordPerson | undefined> {
    const found = await this.#find(attempt, assertAllowed);
    if (found === undefined) return undefined;
    const { username, userId, since } = found;
    return { identity: { username, userId, since }, isNew: false };
  }

  /**
   * Checks and hashes a new password; the function that is returned gives it to the user.
   * @param source address of whoever asks
   * @throws AuthorizerError "invalid_request" for a password that the rules do not allow, and for a user of an identity
   * provider; "unavailable" where too many are hashed
   */
  async prepare(user: PasswordOwner, password: string, source: string): Promise<() => Promise<void>> {
    if (isOfProvider(await this.#parts.directory.users.get(user.username))) {
      const message =
        "your password is kept by the identity provider with which you sign in; change it there";
      throw new AuthorizerError("invalid_request", message);
    }
    const hash = await this.#hashOf(user, password, source);
    return async () => void (await this.#parts.directory.passwords.set(user, hash));
  }

  /**
   * Gives a user another password than the present one.
   * @returns the beginning of the user's sessions from then on; undefined where `attempt` does not have the present one
   * @throws as {@link prepare}; "conflict" where the password was changed meanwhile
   */
  async change(attempt: PasswordAttempt, next: string, assertAllowed: () => void) {
    const { username, source } = attempt;
    // Whoever does not know the present one learns nothing about the rules.
    const found = await this.#find(attempt, assertAllowed);
    if (found === undefined) return undefined;
    if (next.normalize("NFKC") === attempt.password.normalize("NFKC")) {
      const message = "the new password is the present one";
      throw new AuthorizerError("invalid_request", message, {
        problems: [{ pointer: "/new_password", message }],
      });
    }
    const hash = await this.#hashOf({ username }, next, source);
    return this.#parts.directory.passwords.set(found, hash, found.hash);
  }

  async #hashOf({ username }: Pick<User, "username">, password: string, source: string): Promise<string> {
    const { places, rules } = this.#parts;
    await assertNewPassword(password, username, rules);
    return places.run(sourceOf(source), () => hashPassword(password));
  }

  /** The work is the same for a name that nobody has. */
  #find({ username, password, source }: PasswordAttempt, assertAllowed: () => void) {
    const { directory, places, countsForLinked } = this.#parts;
    return places.run(sourceOf(source), async () => {
      assertAllowed();
      const found = await directory.passwords.find(username);
      const isRight = await isPasswordOf(found?.hash ?? NOBODYS_HASH, password);
      if (!isRight || found === undefined) return undefined;
      // Whoever has left there must not go on here with an earlier password.
      if (!countsForLinked && isOfProvider(await directory.users.get(username))) return undefined;
      // It may have been changed, or its user deactivated, while it was compared.
      const now = await directory.passwords.find(username);
      return now?.hash === found.hash && now.userId === found.userId ? found : undefined;
    });
  }
}
