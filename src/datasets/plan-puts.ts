/** The additions and changes of a plan; removals are in `plan-removals.ts`. */

import type { BatchOperation, DirectoryState, Managed, UserState } from "../directory/batch.ts";
import type { ChangeKind } from "./change.ts";
import { compareFields } from "./fields.ts";
import { resourceKey } from "./merge.ts";
import type { DatasetMode, Plan, PlanBuilder } from "./plan.ts";
import type { Wanted, WantedCredential, WantedGroup, WantedPolicy, WantedUser } from "./wanted.ts";

/** The parts of a state that wanted entities are compared with. */
export type ComparedState = Pick<
  DirectoryState,
  "users" | "groups" | "policies" | "resourceTypes" | "resources"
>;

/** The context of additions and changes. */
interface PutContext {
  readonly plan: PlanBuilder;
  readonly state: ComparedState;
  readonly mode: DatasetMode;
}

/** An entity to create or to change. */
interface EntityPut<T extends object> {
  readonly kind: ChangeKind;
  readonly name: string;
  readonly wanted: T;
  readonly existing: Managed<T> | undefined;
  readonly operation: (value: T) => BatchOperation;
  /** Changes by administrators are kept, also in a sync. */
  readonly preconfigured?: boolean;
}

function flagOf(preconfigured: boolean): { readonly preconfigured?: true } {
  return preconfigured ? { preconfigured } : {};
}

function putEntity<T extends object>({ plan, mode }: PutContext, put: EntityPut<T>): void {
  const { kind, name, wanted, existing, operation, preconfigured = false } = put;
  if (existing === undefined) {
    plan.add(operation(wanted), "add", kind, name);
    return;
  }
  const { fields, replacement } = compareFields(wanted, existing.value, mode);
  if (fields.length === 0) return;
  if (mode === "load" || (preconfigured && !existing.managed)) plan.keep(kind, name, fields);
  else plan.change(operation(replacement), kind, name, fields);
}

function putPolicy(context: PutContext, { policy, preconfigured }: WantedPolicy): void {
  const { plan, state, mode } = context;
  const { name, accept } = policy;
  const existing = state.policies.get(name);
  const there = existing?.value.accept ?? [];
  putEntity(context, {
    kind: "policy",
    name,
    wanted: policy,
    // An empty list and none mean the same, but only a list takes away what people accepted.
    existing: existing && { ...existing, value: { ...existing.value, ...(accept && { accept: there }) } },
    operation: (value) => ({ op: "put_policy", policy: { accept: [], ...value }, ...flagOf(preconfigured) }),
    preconfigured,
  });
  if (mode === "sync" && !preconfigured && accept === undefined && there.length > 0) {
    plan.keep("policy", name, ["accept"]);
  }
}

function putGroup(context: PutContext, wanted: WantedGroup): void {
  const { plan, state } = context;
  const { group, preconfigured } = wanted;
  const existing = state.groups.get(group.name);
  putEntity(context, {
    kind: "group",
    name: group.name,
    wanted: group,
    existing: existing?.group as Managed<typeof group> | undefined,
    operation: (value) => ({ op: "put_group", ...value, ...flagOf(preconfigured) }),
    preconfigured,
  });
  for (const policy of wanted.policies) {
    if (existing?.policies.has(policy)) continue;
    const name = `${policy} to group ${group.name}`;
    // A policy that an administrator detached from a preconfigured group is not attached again at the next start.
    if (preconfigured && existing !== undefined) {
      plan.keep("attachment", name, []);
      continue;
    }
    const attachment = {
      op: "attach_to_group",
      group: group.name,
      policy,
      ...flagOf(preconfigured),
    } as const;
    plan.add(attachment, "add", "attachment", name);
  }
}

function putCredential(
  { plan, mode }: PutContext,
  username: string,
  access_key_id: string,
  wanted: WantedCredential,
  existing: UserState | undefined,
): void {
  const operation: BatchOperation = { op: "put_credential", username, access_key_id, ...wanted };
  const name = `${access_key_id} of ${username}`;
  const found = existing?.credentials.get(access_key_id)?.value;
  if (found === undefined) {
    plan.add(operation, "add", "credential", name);
    return;
  }
  const fields: string[] = [];
  const { secret_access_key: secret, creation_date = found.creation_date } = found;
  if (secret !== undefined && secret !== wanted.secret_access_key) fields.push("secret_access_key");
  if ((wanted.creation_date ?? creation_date) !== creation_date) fields.push("creation_date");
  if (fields.length === 0) return;
  if (mode === "load") plan.keep("credential", name, fields);
  else
    plan.change(
      { ...operation, creation_date: wanted.creation_date ?? creation_date },
      "credential",
      name,
      fields,
    );
}

function putUser(context: PutContext, wanted: WantedUser): void {
  const { plan, state } = context;
  const { username } = wanted.user;
  const existing = state.users.get(username);
  putEntity(context, {
    kind: "user",
    name: username,
    wanted: wanted.user,
    existing: existing?.user,
    operation: (user) => ({ op: "put_user", user }),
  });
  for (const group of wanted.groups) {
    const held = existing?.groups.get(group);
    if (held !== undefined && held.by === undefined) continue;
    plan.add({ op: "add_member", group, username }, "add", "membership", `${username} in ${group}`);
  }
  for (const policy of wanted.policies) {
    if (existing?.policies.has(policy)) continue;
    const name = `${policy} to user ${username}`;
    plan.add({ op: "attach_to_user", username, policy }, "add", "attachment", name);
  }
  for (const [key, credential] of wanted.credentials)
    putCredential(context, username, key, credential, existing);
  for (const principal of wanted.externalPrincipals) {
    if (existing?.externalPrincipals.has(principal)) continue;
    const name = `${principal} of ${username}`;
    plan.add({ op: "put_principal", username, principal }, "add", "principal", name);
  }
}

/**
 * Releases external ids that move between two remaining users, which no order of operations could do.
 * @param isTakenByOther true where the data sets give an external id to another user
 */
function releaseExternalIds(
  { plan, state }: PutContext,
  wanted: Wanted,
  isTakenByOther: (externalId: string, username: string) => boolean,
): void {
  for (const [username, { user }] of wanted.users) {
    const existing = state.users.get(username)?.user.value;
    if (existing?.external_id === undefined || existing.external_id === user.external_id) continue;
    const { external_id, ...rest } = existing;
    if (isTakenByOther(external_id, username)) plan.prepare({ op: "put_user", user: rest });
  }
}

/** The two sides of a comparison, and the plan. */
interface Comparison {
  readonly plan: Plan;
  readonly state: ComparedState;
  readonly mode: DatasetMode;
  /** As for {@link releaseExternalIds}. */
  readonly isTakenByOther: (externalId: string, username: string) => boolean;
}

/** Adds missing entities; a sync also changes differing ones. */
export function planPuts({ plan, state, mode, isTakenByOther }: Comparison, wanted: Wanted): void {
  const into = (part: Parameters<Plan["part"]>[0]): PutContext => ({ plan: plan.part(part), state, mode });
  if (mode === "sync") releaseExternalIds(into("released texts"), wanted, isTakenByOther);
  for (const [name, type] of wanted.resourceTypes) {
    putEntity(into("resource types"), {
      kind: "resource type",
      name,
      wanted: type,
      existing: state.resourceTypes.get(name),
      operation: (resourceType) => ({ op: "put_resource_type", resourceType }),
    });
  }
  for (const policy of wanted.policies.values()) putPolicy(into("policies"), policy);
  for (const group of wanted.groups.values()) putGroup(into("groups"), group);
  for (const user of wanted.users.values()) putUser(into("users"), user);
  for (const resource of wanted.resources.values()) {
    putEntity(into("resources"), {
      kind: "resource",
      name: resourceKey(resource).replace("\0", " "),
      wanted: resource,
      existing: state.resources.get(resource.type)?.get(resource.id),
      operation: (value) => ({ op: "put_resource", resource: value }),
    });
  }
}
