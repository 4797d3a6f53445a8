/** The user of a person whom another directory knows by a password. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { Directory } from "../directory/directory.ts";
import type { SignedInPerson } from "../directory/provisioning.ts";
import type { PasswordPerson } from "./password-sign-in.ts";
import { type OnUnknown, SignInRefused, type SignInWay } from "./sign-in.ts";

/** Options of {@link passwordUser}. */
interface PasswordUserOptions {
  readonly directory: Pick<Directory, "provisioning" | "actingFor">;
  /** True for the name of a group that no provider gives unless it is named literally. */
  readonly isProtected: (group: string) => boolean;
  readonly way: SignInWay;
  readonly onUnknown: OnUnknown | undefined;
}

/**
 * Finds, links or makes the user, with the groups of the person.
 * @throws SignInRefused for a person who is known and has no user here, or whose names can be none
 */
export async function passwordUser(
  person: SignedInPerson,
  { directory, isProtected, way, onUnknown }: PasswordUserOptions,
): Promise<PasswordPerson> {
  const { issuer, username, externalId } = person;
  if (!isPossibleName(username) || !isPossibleName(externalId)) throw new SignInRefused("nameless", way);
  const signedIn = directory.actingFor({ name: issuer }, () =>
    directory.provisioning(isProtected).signIn(person),
  );
  const outcome = await signedIn.catch((cause: unknown) => {
    if (isErrorCode(cause, "outcome_unknown")) onUnknown?.({ issuer, user: username });
    // The name can be none here.
    if (!isErrorCode(cause, "invalid_request")) throw cause;
    throw new SignInRefused("nameless", way, { cause });
  });
  if ("fault" in outcome) throw new SignInRefused(outcome.fault, way, { username });
  const { userId, isNew } = outcome;
  return { identity: { username: outcome.username, userId }, isNew };
}
