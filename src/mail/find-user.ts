/** Looks up the user that a mail is for. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { User } from "@svc-authorizer/policy/model/entities.ts";
import type { MailDirectory } from "./ports.ts";

/** The user with a name, or undefined. */
export async function findUser(directory: MailDirectory, username: string): Promise<User | undefined> {
  try {
    return await directory.users.get(username);
  } catch (error) {
    if (isErrorCode(error, "not_found")) return undefined;
    throw error;
  }
}
