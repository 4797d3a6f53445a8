/** The removals of a sync: everything that an earlier sync created and the files no longer name. */

import type { BatchOperation, GroupState, Managed, UserState } from "../directory/batch.ts";
import type { ChangeKind } from "./change.ts";
import type { Plan } from "./plan.ts";
import type { WantedUser } from "./wanted.ts";

/** A managed entity or relation of the directory, with the operation that removes it. */
interface ManagedThing {
  readonly kind: ChangeKind;
  readonly name: string;
  /** True if the files name it. */
  readonly wanted: boolean;
  /** True if it is removed together with another entity and needs no operation. */
  readonly cascades: boolean;
  readonly remove: BatchOperation;
}

/** Groups and policies that are removed. */
export interface Removed {
  readonly groups: { has(name: string): boolean };
  readonly policies: { has(name: string): boolean };
}

/** The share of managed things that a sync removes. */
interface RemovalShare {
  removed: number;
  managed: number;
}

const NOTHING = { has: (): boolean => false };

function managedNames(marks: ReadonlyMap<string, Managed<unknown>>): string[] {
  return [...marks].filter(([, { managed }]) => managed).map(([name]) => name);
}

function* userRelations(
  username: string,
  user: UserState,
  want: WantedUser | undefined,
  gone: Removed,
): Generator<ManagedThing> {
  const userGone = want === undefined && user.user.managed;
  for (const group of managedNames(user.groups)) {
    yield {
      kind: "membership",
      name: `${username} in ${group}`,
      wanted: want?.groups.has(group) ?? false,
      cascades: userGone || gone.groups.has(group),
      remove: { op: "remove_member", group, username },
    };
  }
  for (const policy of managedNames(user.policies)) {
    yield {
      kind: "attachment",
      name: `${policy} to user ${username}`,
      wanted: want?.policies.has(policy) ?? false,
      cascades: userGone || gone.policies.has(policy),
      remove: { op: "detach_from_user", username, policy },
    };
  }
  for (const access_key_id of managedNames(user.credentials)) {
    yield {
      kind: "credential",
      name: `${access_key_id} of ${username}`,
      wanted: want?.credentials.has(access_key_id) ?? false,
      cascades: userGone,
      remove: { op: "delete_credential", username, access_key_id },
    };
  }
  for (const principal of managedNames(user.externalPrincipals)) {
    yield {
      kind: "principal",
      name: `${principal} of ${username}`,
      wanted: want?.externalPrincipals.has(principal) ?? false,
      cascades: userGone,
      remove: { op: "delete_principal", username, principal },
    };
  }
}

function* groupRelations(
  group: string,
  { group: mark, policies }: GroupState,
  want: ReadonlySet<string> | undefined,
  gone: Removed,
): Generator<ManagedThing> {
  for (const policy of managedNames(policies)) {
    yield {
      kind: "attachment",
      name: `${policy} to group ${group}`,
      wanted: (want ?? NOTHING).has(policy),
      cascades: (want === undefined && mark.managed) || gone.policies.has(policy),
      remove: { op: "detach_from_group", group, policy },
    };
  }
}

/** Adds removals to a plan, and counts their share of all managed things. */
export class Removals {
  readonly share: RemovalShare = { removed: 0, managed: 0 };
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /**
   * Looks at what refers to a user.
   * @param want undefined: the data sets do not define the user
   */
  user(username: string, user: UserState, want: WantedUser | undefined, gone: Removed): void {
    const part = "removed relations of users";
    for (const thing of userRelations(username, user, want, gone)) this.#add(part, thing);
  }

  /**
   * Looks at the policies of a group.
   * @param want undefined: the data sets do not define the group
   */
  group(name: string, group: GroupState, want: ReadonlySet<string> | undefined, gone: Removed): void {
    const part = "removed relations of groups";
    for (const thing of groupRelations(name, group, want, gone)) this.#add(part, thing);
  }

  /** Looks at a registered resource. */
  resource(
    { value: { type, id }, managed }: Managed<{ readonly type: string; readonly id: string }>,
    wanted: boolean,
  ): void {
    if (!managed) return;
    const remove = { op: "delete_resource", type, id } as const;
    this.#add("removed resources", {
      kind: "resource",
      name: `${type} ${id}`,
      wanted,
      cascades: false,
      remove,
    });
  }

  /** Looks at an entity. */
  entity(
    kind: "user" | "group" | "policy" | "resource type",
    { value: name, managed }: Managed<string>,
    wanted: boolean,
  ): void {
    if (!managed) return;
    this.#add("removed entities", { kind, name, wanted, cascades: false, remove: removing(kind, name) });
  }

  #add(
    part:
      | "removed relations of users"
      | "removed relations of groups"
      | "removed resources"
      | "removed entities",
    thing: ManagedThing,
  ): void {
    this.share.managed++;
    if (thing.wanted) return;
    this.share.removed++;
    if (!thing.cascades) this.#plan.part(part).add(thing.remove, "remove", thing.kind, thing.name);
  }
}

function removing(kind: "user" | "group" | "policy" | "resource type", name: string): BatchOperation {
  switch (kind) {
    case "user":
      return { op: "delete_user", username: name };
    case "group":
      return { op: "delete_group", name };
    case "policy":
      return { op: "delete_policy", name };
    case "resource type":
      return { op: "delete_resource_type", type: name };
  }
}
