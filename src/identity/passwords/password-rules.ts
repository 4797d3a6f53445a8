/** The rules for new passwords (NIST SP 800-63B, 3.1.1.2): a length, none for the characters, and no known ones. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { BreachedList } from "./breached-list.ts";

/** Longest password, in characters. */
const LONGEST_PASSWORD = 256;

/** The rules. */
export interface PasswordRules {
  /** `authorizer.passwords.min_length`, in characters. */
  readonly minLength: number;
  /** Known passwords; undefined: none are configured. */
  readonly breached: BreachedList | undefined;
}

/**
 * Refuses a new password that the rules do not allow.
 * @throws AuthorizerError "invalid_request", which never repeats the password
 */
export async function assertNewPassword(
  password: string,
  username: string,
  { minLength, breached }: PasswordRules,
): Promise<void> {
  const text = password.normalize("NFKC");
  // Characters as people count them, not units of UTF-16.
  const length = [...text].length;
  if (length < minLength) throw refused(`a password has at least ${minLength} characters`);
  if (length > LONGEST_PASSWORD) throw refused(`a password has at most ${LONGEST_PASSWORD} characters`);
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) throw refused("a password has no control characters");
  if (text.toLowerCase().includes(username.toLowerCase()) && length < 2 * username.length) {
    throw refused("the password is little more than the user name; choose another one");
  }
  if (await breached?.has(text)) {
    throw refused("the password is on a list of known passwords; choose another one");
  }
}

function refused(message: string): AuthorizerError {
  return new AuthorizerError("invalid_request", message, {
    problems: [{ pointer: "/new_password", message }],
  });
}
