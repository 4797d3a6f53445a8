/** The part of users in the plan of a restore (spec/journal §4). */

import { isDeepStrictEqual } from "node:util";
import type { BatchOperation, ViewedUser } from "../batch.ts";
import type { Revocation } from "../history.ts";
import type { NewUser } from "../new-entities.ts";
import { ADMINS } from "../write/set-up-mark.ts";
import type { RestoreScope } from "./restore-plan.ts";
import { planAttachments } from "./restored-attachments.ts";

/** Plans user after user. */
export class UserPlanner {
  /** True where somebody is an active administrator: now, at the time to go back to, and after the restore. */
  readonly administrators = { now: false, past: false, after: false };
  readonly #scope: RestoreScope;

  constructor(scope: RestoreScope) {
    this.#scope = scope;
  }

  /** Adds what a user needs; the names are the same. */
  async add(before: ViewedUser | undefined, now: ViewedUser | undefined): Promise<void> {
    // Its work goes on, or was over.
    if (now?.isOfService === true) return;
    const then = before?.isOfService === true ? undefined : before;
    this.administrators.now ||= isAdministrator(now);
    this.administrators.past ||= isAdministrator(then);
    if (then === undefined) return now && this.#remove(now);
    if (now !== undefined && now.origin !== then.origin) {
      // Somebody else has the name: whoever was deleted comes back without a right of theirs, and gives them none.
      this.#remove(now);
      return this.#restore(then, undefined);
    }
    return this.#restore(then, now);
  }

  #remove({ user }: ViewedUser): void {
    const { username } = user.value;
    this.#scope.plan.part("removed users").remove("user", username, { op: "delete_user", username });
  }

  async #restore(then: ViewedUser, now: ViewedUser | undefined): Promise<void> {
    const { plan } = this.#scope;
    if (now !== undefined) this.#givenUp(then, now);
    this.#user(then, now);
    this.#memberships(then, now);
    const { username } = then.user.value;
    const belongings = plan.part("belongings of users");
    planAttachments(this.#scope, belongings, ["user", username], then, now);
    if (!this.#scope.options.withCredentials) return;
    // Who bears a principal acts as the user: it comes back where keys do.
    this.#principals(then, now);
    await this.#credentials(then, now);
  }

  #givenUp(then: ViewedUser, { user, externalPrincipals }: ViewedUser): void {
    const part = this.#scope.plan.part("given up by users");
    const { external_id: externalId, ...rest } = user.value;
    if (externalId !== undefined && externalId !== then.user.value.external_id)
      part.prepare({ op: "put_user", user: rest }, user.managed);
    const { username } = rest;
    for (const principal of externalPrincipals.keys()) {
      if (then.externalPrincipals.has(principal)) continue;
      part.remove("external principal", principal, { op: "delete_principal", username, principal });
    }
  }

  #user({ user, groups, origin }: ViewedUser, now: ViewedUser | undefined): void {
    const { value, managed } = user;
    const before = now?.user.value;
    const { withCredentials } = this.#scope.options;
    const withHeld = withCredentials ? value : withPassword(value, before?.encryptedPassword);
    const wanted = this.#staysRevoked(value, before) ? { ...withHeld, inactive: true } : withHeld;
    this.administrators.after ||= groups.has(ADMINS) && wanted.inactive !== true;
    if (isDeepStrictEqual(before, wanted)) return;
    const whole = { ...wanted, inactive: wanted.inactive === true };
    const put: BatchOperation = { op: "put_user", user: whole, origin };
    const isPasswordAlone =
      before !== undefined && isDeepStrictEqual(withPassword(before, wanted.encryptedPassword), wanted);
    const kind = isPasswordAlone ? "password" : "user";
    this.#scope.plan.part("users").put(kind, wanted.username, before, put, managed);
  }

  /** True where a user who was active then has to come back inactive. */
  #staysRevoked(then: NewUser, before: NewUser | undefined): boolean {
    if (then.inactive === true || (before !== undefined && before.inactive !== true)) return false;
    return this.#isRevoked(before === undefined ? "deleted user" : "inactive user", then.username);
  }

  /** Notes something that was revoked since; false where revocations are forgotten. */
  #isRevoked(kind: Revocation["kind"], name: string): boolean {
    this.#scope.plan.revocations.push({ kind, name });
    return !this.#scope.options.forgetRevocations;
  }

  #memberships({ user, groups }: ViewedUser, now: ViewedUser | undefined): void {
    const { username } = user.value;
    const part = this.#scope.plan.part("belongings of users");
    for (const [group, { managed, by }] of groups) {
      if (now?.groups.has(group) === true) continue;
      const member = { op: "add_member", group, username } as const;
      const join: BatchOperation = by === undefined ? member : { ...member, by };
      part.put("membership", `${username} in ${group}`, undefined, join, managed);
    }
    for (const group of now?.groups.keys() ?? []) {
      if (groups.has(group) || !this.#scope.pastNames.group.has(group)) continue;
      part.remove("membership", `${username} in ${group}`, { op: "remove_member", group, username });
    }
  }

  #principals({ user, externalPrincipals }: ViewedUser, now: ViewedUser | undefined): void {
    const { username } = user.value;
    const part = this.#scope.plan.part("belongings of users");
    for (const [principal, { managed }] of externalPrincipals) {
      if (now?.externalPrincipals.has(principal) === true) continue;
      if (this.#isRevoked("external principal", principal)) continue;
      const put: BatchOperation = { op: "put_principal", username, principal };
      part.put("external principal", principal, undefined, put, managed);
    }
  }

  async #credentials({ user, credentials }: ViewedUser, now: ViewedUser | undefined): Promise<void> {
    const { username } = user.value;
    const { plan } = this.#scope;
    for (const [access_key_id, { value, managed }] of credentials) {
      const { secret_access_key, creation_date } = value;
      const before = now?.credentials.get(access_key_id)?.value;
      if (before !== undefined && isDeepStrictEqual(before, value)) continue;
      if (this.#isRevoked("access key", access_key_id)) continue;
      if (secret_access_key === undefined || (await this.#isOfAnother(access_key_id, username))) {
        plan.lostKeys.push(access_key_id);
        continue;
      }
      const put: BatchOperation = {
        op: "put_credential",
        username,
        access_key_id,
        secret_access_key,
        creation_date,
      };
      plan.part("belongings of users").put("access key", access_key_id, before, put, managed);
    }
  }

  /** True where another user has an access key now and keeps it. */
  async #isOfAnother(accessKeyId: string, username: string): Promise<boolean> {
    const [owner] = await this.#scope.present.owners("access_key", [accessKeyId]);
    if (owner === undefined || owner.username === username) return false;
    return (await this.#scope.past.users([owner.username])).size > 0;
  }
}

function isAdministrator(state: ViewedUser | undefined): boolean {
  return state?.groups.has(ADMINS) === true && state.user.value.inactive !== true;
}

function withPassword({ encryptedPassword: _, ...user }: NewUser, password: string | undefined): NewUser {
  return { ...user, ...(password !== undefined && { encryptedPassword: password }) };
}
