/** The removals of a sync: everything that an earlier sync created and the files no longer name. */

import type { BatchOperation, DirectoryState, Managed } from "../directory/batch.ts";
import type { ChangeKind } from "./change.ts";
import { resourceKey } from "./merge.ts";
import type { PlanBuilder } from "./plan.ts";
import type { Wanted } from "./wanted.ts";

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

/** Names of removed entities. */
interface Removed {
  readonly users: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly policies: ReadonlySet<string>;
}

function unwanted(
  marks: Iterable<readonly [string, Managed<unknown>]>,
  wanted: { has(name: string): boolean },
) {
  return new Set(
    [...marks].filter(([name, { managed }]) => managed && !wanted.has(name)).map(([name]) => name),
  );
}

function removedEntities(wanted: Wanted, state: DirectoryState): Removed {
  const users = [...state.users].map(([name, { user }]) => [name, user] as const);
  const groups = [...state.groups].map(([name, { group }]) => [name, group] as const);
  return {
    users: unwanted(users, wanted.users),
    groups: unwanted(groups, wanted.groups),
    policies: unwanted(state.policies, wanted.policies),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

function managedNames(marks: ReadonlyMap<string, Managed<unknown>>): string[] {
  return [...marks].filter(([, { managed }]) => managed).map(([name]) => name);
}

function* userRelations(wanted: Wanted, state: DirectoryState, gone: Removed): Generator<ManagedThing> {
  for (const [username, user] of state.users) {
    const want = wanted.users.get(username);
    const userGone = gone.users.has(username);
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
}

function* groupRelations(wanted: Wanted, state: DirectoryState, gone: Removed): Generator<ManagedThing> {
  for (const [group, { policies }] of state.groups) {
    const want = wanted.groups.get(group)?.policies ?? NOTHING;
    for (const policy of managedNames(policies)) {
      yield {
        kind: "attachment",
        name: `${policy} to group ${group}`,
        wanted: want.has(policy),
        cascades: gone.groups.has(group) || gone.policies.has(policy),
        remove: { op: "detach_from_group", group, policy },
      };
    }
  }
}

function* resources(wanted: Wanted, state: DirectoryState): Generator<ManagedThing> {
  for (const [type, byId] of state.resources) {
    for (const id of managedNames(byId)) {
      yield {
        kind: "resource",
        name: `${type} ${id}`,
        wanted: wanted.resources.has(resourceKey({ type, id })),
        cascades: false,
        remove: { op: "delete_resource", type, id },
      };
    }
  }
}

function* entities(wanted: Wanted, state: DirectoryState): Generator<ManagedThing> {
  const thing = (kind: ChangeKind, name: string, isWanted: boolean, remove: BatchOperation): ManagedThing => {
    return { kind, name, wanted: isWanted, cascades: false, remove };
  };
  for (const [username, { user }] of state.users) {
    if (!user.managed) continue;
    yield thing("user", username, wanted.users.has(username), { op: "delete_user", username });
  }
  for (const [name, { group }] of state.groups) {
    if (group.managed) yield thing("group", name, wanted.groups.has(name), { op: "delete_group", name });
  }
  for (const name of managedNames(state.policies)) {
    yield thing("policy", name, wanted.policies.has(name), { op: "delete_policy", name });
  }
  for (const type of managedNames(state.resourceTypes)) {
    const isWanted = wanted.resourceTypes.has(type);
    yield thing("resource type", type, isWanted, { op: "delete_resource_type", type });
  }
}

/** The share of managed things that a sync removes. */
export interface RemovalShare {
  readonly removed: number;
  readonly managed: number;
}

/** Adds the removals to the plan, relations before entities. Returns their share of all managed things. */
export function planRemovals(plan: PlanBuilder, wanted: Wanted, state: DirectoryState): RemovalShare {
  const gone = removedEntities(wanted, state);
  const parts = [
    userRelations(wanted, state, gone),
    groupRelations(wanted, state, gone),
    resources(wanted, state),
    entities(wanted, state),
  ];
  let removed = 0;
  let managed = 0;
  for (const part of parts) {
    for (const thing of part) {
      managed++;
      if (thing.wanted) continue;
      removed++;
      if (!thing.cascades) plan.add(thing.remove, "remove", thing.kind, thing.name);
    }
  }
  return { removed, managed };
}
