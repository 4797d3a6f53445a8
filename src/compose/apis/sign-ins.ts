/** Signing in with identity providers and with passwords, as the configuration has it. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { remoteEndpoint } from "../../config/values/remote-endpoint.ts";
import type { FailureSharing } from "../../identity/failed-attempts.ts";
import { openBreachedList } from "../../identity/passwords/breached-list.ts";
import { HashingPlaces } from "../../identity/passwords/hashing-places.ts";
import { hasArgon2 } from "../../identity/passwords/password-hash.ts";
import type { Invitations } from "../../mail/invitations.ts";
import { PasswordResets } from "../../mail/password-resets.ts";
import { DirectoryPasswords, isOfProvider } from "../../sign-in/directory-passwords.ts";
import { PasswordSignIn, type PasswordWay } from "../../sign-in/password-sign-in.ts";
import { RemoteWay } from "../../sign-in/remote-way.ts";
import type { SignIn } from "../../sign-in/sign-in.ts";
import type { DataParts } from "../data.ts";
import { openServiceLdap } from "./ldap.ts";
import { protectedGroups } from "./scim.ts";
import { openServiceSignIn } from "./sign-in.ts";

/** The ways to sign in that the configuration has. */
interface ServiceSignIns {
  /** undefined if no identity provider signs people in. */
  readonly signIn: SignIn | undefined;
  /** undefined where no way to sign in takes a password. */
  readonly passwordSignIn: PasswordSignIn | undefined;
  /** undefined where this service keeps no passwords. */
  readonly ownPasswords: DirectoryPasswords | undefined;
  readonly passwordResets: PasswordResets | undefined;
}

/**
 * Opens it.
 * @throws AuthorizerError "invalid_request" where an item cannot work
 */
export async function openServiceSignIns(
  data: DataParts,
  invitations: Pick<Invitations, "sendReset">,
  sharing: FailureSharing | undefined,
): Promise<ServiceSignIns> {
  const { values, directory, logger: log } = data;
  const ownPasswords = await openOwn(data);
  const ldap = openServiceLdap(data);
  const ways: readonly PasswordWay[] = [ownPasswords, ldap, await openRemote(data)].filter(
    (way) => way !== undefined,
  );
  const limit = values["authorizer.forward_auth.max_failures"];
  const isAccessKey = (text: string) => directory.sessions.hasKey(text);
  const isUser = (text: string) => exists(directory.users.get(text));
  const passwordSignIn =
    ways.length === 0 ? undefined : new PasswordSignIn({ ways, limit, sharing, isAccessKey, isUser });
  const passwordResets = ownPasswords && new PasswordResets({ directory, invitations, isOfProvider, log });
  return { signIn: openServiceSignIn(data), passwordSignIn, ownPasswords, passwordResets };
}

async function openRemote({ values, directory, logger }: DataParts): Promise<RemoteWay | undefined> {
  const endpoint = remoteEndpoint(values);
  if (endpoint === undefined) return undefined;
  const defaultGroup = values["auth.remote_authenticator.default_user_group"];
  if (defaultGroup !== "" && !(await exists(directory.groups.get(defaultGroup)))) {
    const message =
      "no new user can be made for the remote authenticator until its default_user_group exists";
    logger.error(message, { item: "auth.remote_authenticator.default_user_group", group: defaultGroup });
  }
  return new RemoteWay({
    endpoint,
    timeoutMs: values["auth.remote_authenticator.request_timeout"],
    defaultGroup,
    directory,
    isProtected: protectedGroups(values),
    onFault: (cause) =>
      logger.warn("the remote authenticator cannot be asked", { reason: String((cause as Error).name) }),
  });
}

/** True where what is looked up exists. */
async function exists(lookUp: Promise<unknown>): Promise<boolean> {
  try {
    await lookUp;
    return true;
  } catch (error) {
    if (isErrorCode(error, "not_found")) return false;
    throw error;
  }
}

async function openOwn({ values, directory }: DataParts): Promise<DirectoryPasswords | undefined> {
  if (!values["authorizer.passwords.enabled"]) return undefined;
  if (!hasArgon2) {
    const message = "authorizer.passwords.enabled needs argon2 of Node, which is in it from version 24.7 on";
    throw new AuthorizerError("invalid_request", message);
  }
  const list = values["authorizer.passwords.breached_list_file"];
  return new DirectoryPasswords({
    directory,
    places: new HashingPlaces(values["authorizer.passwords.concurrency"]),
    countsForLinked: values["authorizer.passwords.linked_users"],
    rules: {
      minLength: values["authorizer.passwords.min_length"],
      breached: list === undefined ? undefined : await openBreachedList(list),
    },
  });
}
