/** The removals of a sync: of everything in the directory that the data sets do not name. */

import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { GroupState, Managed, StateView, UserState } from "../directory/batch.ts";
import { bulkPause } from "../schedule/bulk-pause.ts";
import type { Removals, Removed } from "./plan-removals.ts";

/** True for what the data sets name. */
export interface WantedNames {
  readonly user: (name: string) => boolean;
  readonly group: (name: string) => boolean;
  readonly policy: (name: string) => boolean;
  readonly resourceType: (name: string) => boolean;
  readonly resource: (resource: { readonly type: string; readonly id: string }) => boolean;
}

/** Users and groups, with their attachments. */
interface Holders {
  readonly users: ReadonlyMap<string, Pick<UserState, "groups" | "policies">>;
  readonly groups: ReadonlyMap<string, Pick<GroupState, "policies">>;
}

/** The groups and policies that are removed, of those that some holders have. */
export async function removedOf(
  view: StateView,
  names: WantedNames,
  { users, groups }: Holders,
): Promise<Removed> {
  const held = { group: new Set<string>(), policy: new Set<string>() };
  for (const user of users.values()) {
    for (const name of user.groups.keys()) held.group.add(name);
    for (const name of user.policies.keys()) held.policy.add(name);
  }
  for (const group of groups.values()) for (const name of group.policies.keys()) held.policy.add(name);
  const removed = async (kind: "group" | "policy"): Promise<ReadonlySet<string>> => {
    const marks = await view.marks(kind, [...held[kind]]);
    return new Set(
      [...marks].filter(([name, managed]) => managed && !names[kind](name)).map(([name]) => name),
    );
  };
  return { groups: await removed("group"), policies: await removed("policy") };
}

/** Goes through the directory, and adds the removals of what data sets do not name. */
export async function removeOthers(
  removals: Removals,
  {
    view,
    names,
    types,
  }: {
    readonly view: StateView;
    readonly names: WantedNames;
    readonly types: ReadonlyMap<string, Managed<ResourceType>>;
  },
): Promise<void> {
  const pause = bulkPause();
  for await (const page of view.names("user")) {
    const others = page.map(({ value }) => value).filter((name) => !names.user(name));
    const unnamed = new Set(others);
    for (const one of page) removals.entity("user", one, !unnamed.has(one.value));
    const users = await view.users(others);
    const gone = await removedOf(view, names, { users, groups: new Map() });
    for (const [name, user] of users) removals.user(name, user, undefined, gone);
    await pause();
  }
  for await (const page of view.names("group")) {
    const others = page.map(({ value }) => value).filter((name) => !names.group(name));
    const unnamed = new Set(others);
    for (const one of page) removals.entity("group", one, !unnamed.has(one.value));
    const groups = await view.groups(others);
    const gone = await removedOf(view, names, { users: new Map(), groups });
    for (const [name, group] of groups) removals.group(name, group, undefined, gone);
    await pause();
  }
  for await (const page of view.names("policy")) {
    for (const one of page) removals.entity("policy", one, names.policy(one.value));
    await pause();
  }
  for (const [value, { managed }] of types)
    removals.entity("resource type", { value, managed }, names.resourceType(value));
  for await (const page of view.resourceNames()) {
    for (const one of page) removals.resource(one, names.resource(one.value));
    await pause();
  }
}
