/** The texts of refused sign-ins. Each says what the person can do. */

import type { SignInReason } from "../../../sign-in/sign-in.ts";

const ADMINISTRATOR = "Ask an administrator of this service";

const TEXTS: Readonly<Record<SignInReason, (provider: string, who: string) => string>> = {
  state: () =>
    "This sign-in was begun too long ago, in another browser, or was used already. Sign in again from the beginning.",
  denied: (provider) => `${provider} did not let you sign in, or you cancelled it. Sign in again.`,
  invalid: (provider) =>
    `The answer of ${provider} does not hold. Sign in again; if that does not help, tell an administrator of this service.`,
  nameless: (provider) =>
    `${provider} does not say who you are in a way that this service can use. ${ADMINISTRATOR} to check the claims of this provider.`,
  claims: (provider, who) =>
    `Your account${who} at ${provider} may not sign in here: claims that are required are missing. ${ADMINISTRATOR} which.`,
  groups: (provider, who) =>
    `${provider} does not say which groups your account${who} has. ${ADMINISTRATOR} to let ${provider} send fewer groups.`,
  absent: (provider, who) =>
    `Your account${who} exists at ${provider}, but not here. ${ADMINISTRATOR} to create your user.`,
  inactive: (_provider, who) => `Your user${who} is deactivated. ${ADMINISTRATOR} to activate it again.`,
  name_taken: (provider, who) =>
    `A user here has your name${who} and is not linked to ${provider}. ${ADMINISTRATOR} to link or rename it.`,
  linked_elsewhere: (provider, who) =>
    `The user here with your name${who} belongs to another account than yours at ${provider}. ${ADMINISTRATOR} to correct the link.`,
  protected: (provider, who) =>
    `The user${who} is an administrator, and ${provider} may not sign administrators in by their names. Sign in with an access key.`,
  group_missing: (_provider, who) =>
    `Your user${who} cannot be made: the group for new users does not exist. ${ADMINISTRATOR} to create the one of auth.remote_authenticator.default_user_group.`,
  provider_away: (provider) => `${provider} does not answer. Try again in a minute, or sign in another way.`,
  busy: () => "Too many people are signing in at this moment. Try again in a minute.",
};

/**
 * The text of a refusal.
 * @param title of the provider, where it is known
 * @param username of the person at the provider, where it is known
 */
export function refusalText(
  reason: SignInReason,
  title: string | undefined,
  username: string | undefined,
): string {
  return TEXTS[reason](title ?? "The identity provider", username === undefined ? "" : ` (${username})`);
}
