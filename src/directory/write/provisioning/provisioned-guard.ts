/** Groups that identity providers may not change, and their members (spec/scim §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { quoted } from "../../checks.ts";
import { refsUnder } from "../../read/provisioned.ts";
import type { StateReader } from "../../read/reader.ts";

/** True for the name of a protected group. */
export type ProtectedTest = (group: string) => boolean;

/** Throws "not_allowed" for a protected group. */
export function assertOpenGroup(isProtected: ProtectedTest, name: string): void {
  if (isProtected(name)) throw refused(`the group ${quoted(name)} is protected`);
}

/** Throws "not_allowed" for a member of a protected group. */
export async function assertOpenUser(
  from: StateReader,
  isProtected: ProtectedTest,
  user: { readonly id: string; readonly name: string },
): Promise<void> {
  const groups = await refsUnder(from, "user_group", user.id);
  const found = groups.find(({ name }) => isProtected(name));
  if (found === undefined) return;
  throw refused(`the user ${quoted(user.name)} is a member of the protected group ${quoted(found.name)}`);
}

function refused(what: string): AuthorizerError {
  const message = `${what}: identity providers may not change it (authorizer.scim.protected_groups)`;
  return new AuthorizerError("not_allowed", message);
}
