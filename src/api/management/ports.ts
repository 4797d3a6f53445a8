/** Ports of the management API; `compose` implements them. */

import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import type { PasswordAttempt } from "../../sign-in/password-sign-in.ts";

/** A right that a grant gives and its giver lacks. */
export interface ExcessRight {
  /** In words: a request that becomes possible where that is certain. */
  readonly what: string;
  /** False: it may give that, which could not be shown; or comparing took too long, and nobody knows. */
  readonly certain: boolean;
}

/** Port: what a grant would give that somebody lacks. */
export interface EscalationCheck {
  /**
   * A request that the granted policies allow and the caller could not make; undefined where there is none.
   * @param actsAs whose name `${user}` in the granted policies stands for, where the caller could act as that user.
   *   Absent: it stands for the same name on both sides, so that who may do a thing with things of their own may let
   *   others do it with theirs
   */
  excessRight(
    caller: string,
    granted: readonly NamedStatements[],
    actsAs: string | undefined,
  ): Promise<ExcessRight | undefined>;
}

/** Port: access lists of groups as policies. */
export interface GroupAcls {
  /** Name of the policy that holds a group's access list. */
  policyName(group: string): string;
  /** The statements of a permission; undefined for one that is none of {@link GroupAcls.permissions}. */
  statements(permission: string): readonly Statement[] | undefined;
  readonly permissions: readonly string[];
}

/** The user who becomes the first administrator. */
export interface FirstAdministrator {
  readonly username: string;
  /** A key to import; absent: one is generated. */
  readonly key?: { readonly access_key_id: string; readonly secret_access_key: string };
}

/** The first administrator's key. */
interface AdministratorKey {
  readonly username: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  /** Unix seconds. */
  readonly creation_date: number;
}

/** Port: set-up of the first administrator (spec/security §6.2). */
export interface Setup {
  /** Returns whether there is a first administrator, by the durable mark. */
  isDone(): Promise<boolean>;
  /** True for the one-time token; compares in constant time. False once the set-up is done. */
  accepts(token: string): boolean;
  /** Sets up; throws "already_exists" where it is done. */
  run(administrator: FirstAdministrator): Promise<AdministratorKey>;
}

/**
 * The state of an invitation: `withdrawn` where its user was deleted or replaced, is inactive, has another address or a newer
 * password.
 */
export type InvitationState = "open" | "used" | "expired" | "withdrawn" | "unknown";

/** The purpose of a link in a mail: to accept an invitation, or to set a new password. */
export type LinkKind = "invitation" | "reset";

/** The user of a link. */
export interface LinkUser {
  readonly username: string;
  /** The address that the link was sent to. */
  readonly email: string;
  readonly userId: string;
  /** The beginning of the user's sessions with whose end the link is over; undefined for an invitation. */
  readonly since?: string;
}

/** Port: mails with which users set new passwords. */
export interface PasswordResets {
  /**
   * Sends mails to the users with the address, as far as they may have one, after the call.
   * @param call that asks, also where it asks again
   */
  ask(email: string, call: object): void;
  /** True for a call that has asked before. */
  hasAsked(call: object): boolean;
  /** Sends one to a user; "invalid_request" says why it may not. */
  send(username: string): Promise<void>;
}

/** Port: invitations of users who do not exist yet, and the links in them. */
export interface UserInvitations {
  /** True where mails can be sent. */
  readonly available: boolean;
  /** As the data-server API's port: queued first, the user is created next, or else it is withdrawn. */
  invite(user: {
    readonly username: string;
    readonly email: string;
  }): Promise<{ readonly userId: string; withdraw(): Promise<void> }>;
  /**
   * Uses up the token of a link in the commit in which `give` gives its user what it is for, by one write; throws
   * "not_found" for any that is not valid, and what `give` throws.
   */
  redeem<T>(token: string, kind: LinkKind, give: (user: LinkUser) => Promise<T>): Promise<T>;
  /** Returns the state of the invitation of a link; changes nothing. */
  state(token: string, kind: LinkKind): Promise<InvitationState>;
  /** Returns the user of a link that can be redeemed, undefined for any other; changes nothing. */
  openFor(token: string, kind: LinkKind): Promise<LinkUser | undefined>;
}

/** Port: the passwords that this service keeps. */
export interface OwnPasswords {
  /** Fewest characters of a new one. */
  readonly minLength: number;
  /** Checks and hashes a new password, "invalid_request" for one that may not be; what is returned gives it to the user. */
  prepare(
    user: { readonly username: string; readonly userId: string },
    password: string,
    source: string,
  ): Promise<() => Promise<void>>;
  /**
   * Gives a user another password; undefined where the present one of the attempt is wrong.
   * @returns the beginning of the user's sessions from then on
   */
  change(
    attempt: PasswordAttempt,
    next: string,
    assertAllowed: () => void,
  ): Promise<{ readonly since: string } | undefined>;
}
