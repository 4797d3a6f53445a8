/** The parts of the directory that a piece of a data set is compared with. */

import type { RegisteredResource } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Managed, StateView } from "../directory/batch.ts";
import type { MergedDataset } from "./merge.ts";
import type { ComparedState } from "./plan-puts.ts";
import type { Wanted } from "./wanted.ts";
import type { NamedState } from "./world.ts";

/** The groups and policies of the directory that a piece refers to. */
export async function namedState(
  view: StateView,
  { users, groups }: Pick<MergedDataset, "users" | "groups">,
): Promise<NamedState> {
  const groupNames = new Set<string>();
  const policyNames = new Set<string>();
  for (const { value } of users.entries.values()) {
    for (const name of value.groups ?? []) groupNames.add(name);
    for (const name of value.policies ?? []) policyNames.add(name);
  }
  for (const { value } of groups.entries.values())
    for (const name of value.policies ?? []) policyNames.add(name);
  const groupMarks = await view.marks("group", [...groupNames]);
  const policyMarks = await view.marks("policy", [...policyNames]);
  return {
    groups: new Map([...groupMarks].map(([name, managed]) => [name, { group: { managed } }])),
    policies: new Map([...policyMarks].map(([name, managed]) => [name, { managed }])),
  };
}

/** The wanted entities as the directory has them. */
export async function stateOf(
  view: StateView,
  wanted: Wanted,
): Promise<Omit<ComparedState, "resourceTypes">> {
  return {
    users: await view.users([...wanted.users.keys()]),
    groups: await view.groups([...wanted.groups.keys()]),
    policies: await view.policies([...wanted.policies.keys()]),
    resources: await resourcesOf(view, [...wanted.resources.values()]),
  };
}

async function resourcesOf(view: StateView, wanted: readonly RegisteredResource[]) {
  const found = await view.resources(wanted);
  const byType = new Map<string, Map<string, Managed<RegisteredResource>>>();
  for (const [index, resource] of found.entries()) {
    if (resource === undefined) continue;
    const { type, id } = wanted[index]!;
    const ofType = byType.get(type) ?? new Map<string, Managed<RegisteredResource>>();
    byType.set(type, ofType.set(id, resource));
  }
  return byType;
}
