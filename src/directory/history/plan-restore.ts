/** The changes that make the present directory what it was (spec/journal §4). */

import { isDeepStrictEqual } from "node:util";
import type { BatchOperation, DirectoryState, GroupState, Managed, UserState } from "../batch.ts";
import type { RestoredKind, RestoredThing, RestoreOptions, Revocation } from "../history.ts";
import type { NewUser } from "../new-entities.ts";
import type { MarkedOperation } from "../write/batches/apply-operations.ts";

/** The plan of a restore. */
interface RestorePlan {
  readonly operations: readonly MarkedOperation[];
  readonly changes: readonly RestoredThing[];
  readonly lostKeys: readonly string[];
  readonly revocations: readonly Revocation[];
}

type PlanOptions = Pick<RestoreOptions, "withCredentials" | "forgetRevocations">;

/** Returns the plan that leads from one state to another. The order of its operations lets each of them pass. */
export function planRestore(
  past: DirectoryState,
  present: DirectoryState,
  options: PlanOptions,
): RestorePlan {
  const planner = new Planner(past, present, options);
  planner.run();
  return planner;
}

class Planner implements RestorePlan {
  readonly operations: MarkedOperation[] = [];
  readonly changes: RestoredThing[] = [];
  readonly lostKeys: string[] = [];
  readonly revocations: Revocation[] = [];
  readonly #past: DirectoryState;
  readonly #present: DirectoryState;
  readonly #options: PlanOptions;

  constructor(past: DirectoryState, present: DirectoryState, options: PlanOptions) {
    this.#past = past;
    this.#present = present;
    this.#options = options;
  }

  run(): void {
    // What is given up first makes room for what takes its place: external ids, principals.
    this.#removals();
    this.#resources();
    for (const [name, { value, managed, partial }] of this.#past.policies) {
      const before = this.#present.policies.get(name)?.value;
      if (isDeepStrictEqual(before, value)) continue;
      this.#add(
        "policy",
        name,
        before,
        { op: "put_policy", policy: { accept: [], ...value }, partial },
        managed,
      );
    }
    for (const [name, { group }] of this.#past.groups) {
      const before = this.#present.groups.get(name)?.group.value;
      if (isDeepStrictEqual(before, group.value)) continue;
      this.#add("group", name, before, { op: "put_group", ...group.value }, group.managed);
    }
    for (const [name, state] of this.#past.users) this.#user(name, state);
    for (const [name, state] of this.#past.groups) this.#attachments("group", name, state);
    for (const [name, state] of this.#past.users) this.#belongings(name, state);
    this.#applied();
  }

  /** The last state that documents gave goes with the entities: the next application compares with it. */
  #applied(): void {
    const { applied: past } = this.#past;
    for (const [key, { kind, name }] of this.#present.applied) {
      if (past.has(key)) continue;
      this.operations.push({ operation: { op: "delete_applied", kind, name }, managed: false });
    }
    for (const { entity, ...applied } of past.values()) {
      if (entity !== "same") continue;
      this.operations.push({ operation: { op: "put_applied", ...applied }, managed: false });
    }
  }

  #removals(): void {
    const { users, groups, policies } = this.#past;
    for (const username of this.#present.users.keys()) {
      if (!users.has(username)) this.#remove("user", username, { op: "delete_user", username });
    }
    for (const name of this.#present.groups.keys()) {
      if (!groups.has(name)) this.#remove("group", name, { op: "delete_group", name });
    }
    for (const name of this.#present.policies.keys()) {
      if (!policies.has(name)) this.#remove("policy", name, { op: "delete_policy", name });
    }
    for (const [username, { user, externalPrincipals }] of this.#present.users) {
      const then = users.get(username);
      if (then === undefined) continue;
      const { external_id: externalId, ...rest } = user.value;
      if (externalId !== undefined && externalId !== then.user.value.external_id) {
        this.operations.push({ operation: { op: "put_user", user: rest }, managed: user.managed });
      }
      for (const principal of externalPrincipals.keys()) {
        if (then.externalPrincipals.has(principal)) continue;
        this.#remove("external principal", principal, { op: "delete_principal", username, principal });
      }
    }
  }

  #resources(): void {
    const past = resourcesOf(this.#past);
    const present = resourcesOf(this.#present);
    for (const [name, { value }] of present) {
      if (past.has(name)) continue;
      this.#remove("resource", name, { op: "delete_resource", type: value.type, id: value.id });
    }
    for (const type of this.#present.resourceTypes.keys()) {
      if (this.#past.resourceTypes.has(type)) continue;
      this.#remove("resource type", type, { op: "delete_resource_type", type });
    }
    for (const [type, { value, managed }] of this.#past.resourceTypes) {
      const before = this.#present.resourceTypes.get(type)?.value;
      if (isDeepStrictEqual(before, value)) continue;
      this.#add("resource type", type, before, { op: "put_resource_type", resourceType: value }, managed);
    }
    for (const [name, { value, managed }] of past) {
      const before = present.get(name)?.value;
      if (isDeepStrictEqual(before, value)) continue;
      this.#add("resource", name, before, { op: "put_resource", resource: value }, managed);
    }
  }

  #user(name: string, { user }: UserState): void {
    const before = this.#present.users.get(name)?.user.value;
    const withHeld = this.#options.withCredentials
      ? user.value
      : withPassword(user.value, before?.encryptedPassword);
    const wanted = this.#staysRevoked(name, user.value, before) ? { ...withHeld, inactive: true } : withHeld;
    if (isDeepStrictEqual(before, wanted)) return;
    const put: BatchOperation = { op: "put_user", user: { ...wanted, inactive: wanted.inactive === true } };
    if (isDeepStrictEqual(withPassword(before ?? wanted, wanted.encryptedPassword), wanted) && before) {
      this.#add("password", name, before, put, user.managed);
    } else this.#add("user", name, before, put, user.managed);
  }

  /** True where a user who was active then has to come back inactive. */
  #staysRevoked(name: string, then: NewUser, before: NewUser | undefined): boolean {
    if (then.inactive === true || (before !== undefined && before.inactive !== true)) return false;
    return this.#isRevoked(before === undefined ? "deleted user" : "inactive user", name);
  }

  /** Notes something that was revoked since; false where revocations are forgotten. */
  #isRevoked(kind: Revocation["kind"], name: string): boolean {
    this.revocations.push({ kind, name });
    return !this.#options.forgetRevocations;
  }

  #belongings(name: string, state: UserState): void {
    const present = this.#present.users.get(name);
    for (const [group, { managed, by }] of state.groups) {
      if (present?.groups.has(group) === true && this.#present.groups.has(group)) continue;
      const member = { op: "add_member", group, username: name } as const;
      const join: BatchOperation = by === undefined ? member : { ...member, by };
      this.#add("membership", `${name} in ${group}`, undefined, join, managed);
    }
    for (const group of present?.groups.keys() ?? []) {
      if (state.groups.has(group) || !this.#past.groups.has(group)) continue;
      this.#remove("membership", `${name} in ${group}`, { op: "remove_member", group, username: name });
    }
    this.#attachments("user", name, state);
    if (!this.#options.withCredentials) return;
    // Who bears a principal acts as the user: it comes back where keys do.
    this.#principals(name, state, present);
    this.#credentials(name, state, present);
  }

  #principals(username: string, state: UserState, present: UserState | undefined): void {
    for (const [principal, { managed }] of state.externalPrincipals) {
      if (present?.externalPrincipals.has(principal) === true) continue;
      if (this.#isRevoked("external principal", principal)) continue;
      const put: BatchOperation = { op: "put_principal", username, principal };
      this.#add("external principal", principal, undefined, put, managed);
    }
  }

  #attachments(kind: "user" | "group", name: string, state: Pick<GroupState, "policies">): void {
    const holders = kind === "user" ? this.#present.users : this.#present.groups;
    const present = holders.get(name)?.policies;
    const where = `to ${kind} ${name}`;
    for (const [policy, { managed }] of state.policies) {
      if (present?.has(policy) === true) continue;
      const operation: BatchOperation =
        kind === "user"
          ? { op: "attach_to_user", username: name, policy }
          : { op: "attach_to_group", group: name, policy };
      this.#add("attachment", `${policy} ${where}`, undefined, operation, managed);
    }
    for (const policy of present?.keys() ?? []) {
      if (state.policies.has(policy) || !this.#past.policies.has(policy)) continue;
      const operation: BatchOperation =
        kind === "user"
          ? { op: "detach_from_user", username: name, policy }
          : { op: "detach_from_group", group: name, policy };
      this.#remove("attachment", `${policy} ${where}`, operation);
    }
  }

  #credentials(username: string, state: UserState, present: UserState | undefined): void {
    for (const [access_key_id, { value, managed }] of state.credentials) {
      const { secret_access_key, creation_date } = value;
      const before = present?.credentials.get(access_key_id)?.value;
      if (before !== undefined && isDeepStrictEqual(before, value)) continue;
      if (this.#isRevoked("access key", access_key_id)) continue;
      if (secret_access_key === undefined || this.#ownerOf(access_key_id, username) !== undefined) {
        this.lostKeys.push(access_key_id);
        continue;
      }
      const put: BatchOperation = {
        op: "put_credential",
        username,
        access_key_id,
        secret_access_key,
        creation_date,
      };
      this.#add("access key", access_key_id, before, put, managed);
    }
  }

  /** Name of another user who has an access key now and keeps it. */
  #ownerOf(accessKeyId: string, except: string): string | undefined {
    for (const [username, { credentials }] of this.#present.users) {
      if (username === except || !this.#past.users.has(username)) continue;
      if (credentials.has(accessKeyId)) return username;
    }
    return undefined;
  }

  #add(kind: RestoredKind, name: string, before: unknown, operation: BatchOperation, managed: boolean): void {
    this.operations.push({ operation, managed });
    this.changes.push({ change: before === undefined ? "create" : "replace", kind, name });
  }

  #remove(kind: RestoredKind, name: string, operation: BatchOperation): void {
    this.operations.push({ operation, managed: false });
    this.changes.push({ change: "remove", kind, name });
  }
}

function withPassword({ encryptedPassword: _, ...user }: NewUser, password: string | undefined): NewUser {
  return { ...user, ...(password !== undefined && { encryptedPassword: password }) };
}

type Resource =
  DirectoryState["resources"] extends ReadonlyMap<string, ReadonlyMap<string, infer R>> ? R : never;

/** Resources by `<type>/<id>`. */
function resourcesOf({ resources }: DirectoryState): ReadonlyMap<string, Resource> {
  const found = new Map<string, Managed<Resource["value"]>>();
  for (const byId of resources.values()) {
    for (const resource of byId.values()) found.set(`${resource.value.type}/${resource.value.id}`, resource);
  }
  return found;
}
