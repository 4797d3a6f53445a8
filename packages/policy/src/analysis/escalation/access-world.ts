/** Users, groups and policies as a value: each change gives a new world. For searches that try changes. */

import type { NamedStatements, Statement } from "../../model/policy.ts";

/** A user's memberships and direct attachments, by name. */
export interface WorldUser {
  readonly groups: readonly string[];
  readonly policies: readonly string[];
}

/** The users and the policies that each of them has. Names that stand for nothing are ignored. */
export interface AccessWorld {
  readonly users: ReadonlyMap<string, WorldUser>;
  /** Group → names of its policies. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  readonly policies: ReadonlyMap<string, readonly Statement[]>;
}

function withEntry<T>(map: ReadonlyMap<string, T>, key: string, value: T): ReadonlyMap<string, T> {
  return new Map(map).set(key, value);
}

function including(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name];
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.filter((one) => one !== name);
}

/** A user of the world; one without memberships and attachments where there is none of that name. */
export function userOf({ users }: AccessWorld, username: string): WorldUser {
  return users.get(username) ?? { groups: [], policies: [] };
}

/** Names of the policies in force for a user, each once. */
export function namesHeldBy(world: AccessWorld, username: string): readonly string[] {
  const { groups, policies } = userOf(world, username);
  const names = new Set([...policies, ...groups.flatMap((group) => world.groups.get(group) ?? [])]);
  return [...names].filter((name) => world.policies.has(name));
}

/** The policies in force for a user. */
export function heldBy(world: AccessWorld, username: string): readonly NamedStatements[] {
  return namesHeldBy(world, username).map((name) => ({ name, statement: world.policies.get(name) ?? [] }));
}

/** Creates or replaces a policy. */
export function putPolicy(world: AccessWorld, name: string, statement: readonly Statement[]): AccessWorld {
  return { ...world, policies: withEntry(world.policies, name, statement) };
}

/** Deletes a policy; attachments to it stand for nothing from then on. */
export function deletePolicy(world: AccessWorld, name: string): AccessWorld {
  const policies = new Map(world.policies);
  policies.delete(name);
  return { ...world, policies };
}

/** Attaches a policy to a user. */
export function attachToUser(world: AccessWorld, username: string, policy: string): AccessWorld {
  const user = userOf(world, username);
  const policies = including(user.policies, policy);
  return { ...world, users: withEntry(world.users, username, { ...user, policies }) };
}

/** Detaches a policy from a user. */
export function detachFromUser(world: AccessWorld, username: string, policy: string): AccessWorld {
  const user = userOf(world, username);
  const policies = without(user.policies, policy);
  return { ...world, users: withEntry(world.users, username, { ...user, policies }) };
}

/** Gives a group these policies and no others; creates the group where there is none. */
export function setGroupPolicies(
  world: AccessWorld,
  group: string,
  policies: readonly string[],
): AccessWorld {
  return { ...world, groups: withEntry(world.groups, group, policies) };
}

/** Attaches a policy to a group. */
export function attachToGroup(world: AccessWorld, group: string, policy: string): AccessWorld {
  return setGroupPolicies(world, group, including(world.groups.get(group) ?? [], policy));
}

/** Detaches a policy from a group. */
export function detachFromGroup(world: AccessWorld, group: string, policy: string): AccessWorld {
  return setGroupPolicies(world, group, without(world.groups.get(group) ?? [], policy));
}

/** Adds a member to a group. */
export function joinGroup(world: AccessWorld, group: string, username: string): AccessWorld {
  const user = userOf(world, username);
  const groups = including(user.groups, group);
  return { ...world, users: withEntry(world.users, username, { ...user, groups }) };
}

/** Removes a member from a group. */
export function leaveGroup(world: AccessWorld, group: string, username: string): AccessWorld {
  const user = userOf(world, username);
  const groups = without(user.groups, group);
  return { ...world, users: withEntry(world.users, username, { ...user, groups }) };
}
