/** Checks an application against the directory: references, owners, what would be left (spec/management-cli §10). */

import { type BatchOperation, type DirectoryState, entityKey } from "../../directory/batch.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import type { ProblemList } from "../problem-list.ts";
import type { AppliedPlan } from "./applied-plan.ts";
import type { WantedEntity } from "./wanted-entities.ts";

const ADMINS = "Admins";

/** The input of the checks. */
interface ApplicationChecks {
  readonly manager: string;
  readonly wanted: readonly WantedEntity[];
  readonly state: DirectoryState;
  readonly plan: AppliedPlan;
  /** True if the service makes the directory equal to data sets of its own (`authorizer.datasets_mode: sync`). */
  readonly syncs: boolean;
  readonly problems: ProblemList;
}

/** Adds a problem for each entity that somebody else manages: another manager, or the data sets of the service. */
export async function checkManagers({
  manager,
  wanted,
  state,
  syncs,
  problems,
}: ApplicationChecks): Promise<void> {
  const pause = bulkPause();
  for (const entity of wanted) {
    await pause();
    const { kind, from } = entity;
    const last = state.applied.get(entityKey(entity));
    const isOthers = last !== undefined && last.manager !== manager && last.entity !== "other";
    if (isOthers && !last.dropped) {
      const message = `this ${kind} is managed by ${JSON.stringify(last.manager)}: take it out of one of the two`;
      problems.add(from.source, from.pointer, message);
    }
    if (syncs && isManaged(entity, state)) {
      const message = `this ${kind} is managed by the data sets of the service (authorizer.datasets)`;
      problems.add(from.source, from.pointer, message);
    }
  }
}

function isManaged({ kind, name }: WantedEntity, { users, groups, policies }: DirectoryState): boolean {
  if (kind === "policy") return policies.get(name)?.managed === true;
  return (kind === "user" ? users.get(name)?.user : groups.get(name)?.group)?.managed === true;
}

/** Adds a problem for each reference to what the application removes, and for each external id of two users. */
export async function checkRemains(checks: ApplicationChecks): Promise<void> {
  const { wanted, plan, problems } = checks;
  const removed = new Set<string>();
  const pause = bulkPause();
  for (const { action, kind, name } of plan.changes) {
    await pause();
    if (action === "remove" && (kind === "group" || kind === "policy")) removed.add(`${kind}/${name}`);
  }
  for (const { said, from } of wanted) {
    await pause();
    for (const [list, kind] of [
      ["groups", "group"],
      ["policies", "policy"],
    ] as const) {
      for (const [index, name] of (said[list] ?? []).entries()) {
        await pause();
        if (!removed.has(`${kind}/${name}`)) continue;
        const message = `the application removes this ${kind}: define it in one of the documents`;
        problems.add(from.source, `${from.pointer}/${list}/${index}`, message);
      }
    }
  }
  await checkExternalIds(checks);
  await checkAdministrators(checks);
}

async function checkExternalIds({ wanted, state, plan, problems }: ApplicationChecks): Promise<void> {
  if (!wanted.some(({ said }) => said.fields["external_id"] !== undefined)) return;
  const pause = bulkPause();
  const after = new Map<string, string | undefined>();
  for (const [username, { user }] of state.users) {
    await pause();
    after.set(username, user.value.external_id);
  }
  for (const operation of plan.operations) {
    await pause();
    noteExternalId(after, operation);
  }
  const named = new Map<string, WantedEntity["from"]>();
  for (const { kind, name, from } of wanted) if (kind === "user") named.set(name, from);
  const owners = new Map<string, string>();
  // Users whom the documents do not name come first: the documents are what has to change.
  for (const [username, id] of after) {
    await pause();
    if (id !== undefined && !named.has(username) && !owners.has(id)) owners.set(id, username);
  }
  for (const [username, from] of named) {
    await pause();
    const id = after.get(username);
    if (id === undefined) continue;
    const owner = owners.get(id);
    owners.set(id, owner ?? username);
    if (owner === undefined) continue;
    problems.add(from.source, `${from.pointer}/external_id`, `this external id belongs to user "${owner}"`);
  }
}

function noteExternalId(after: Map<string, string | undefined>, operation: BatchOperation): void {
  if (operation.op === "delete_user") after.delete(operation.username);
  if (operation.op === "put_user") after.set(operation.user.username, operation.user.external_id);
}

/** Somebody has to be able to repair what documents break. */
async function checkAdministrators({ wanted, state, plan, problems }: ApplicationChecks): Promise<void> {
  const touches = plan.operations.some(
    (operation) =>
      operation.op === "delete_user" ||
      (operation.op === "put_user" && operation.user.inactive === true) ||
      (operation.op === "remove_member" && operation.group === ADMINS) ||
      (operation.op === "delete_group" && operation.name === ADMINS),
  );
  if (!touches || !(await hasAdministrator(state)) || (await keepsAdministrator(state, plan))) return;
  const message = `nobody would be left in ${ADMINS}`;
  const source = wanted[0]?.from.source;
  if (source === undefined) problems.addFile({ pointer: "", message });
  else problems.add(source, "", message);
}

/** True if the group has a member who is not inactive. */
async function hasAdministrator({ users }: DirectoryState): Promise<boolean> {
  const pause = bulkPause();
  for (const { user, groups } of users.values()) {
    await pause();
    if (groups.has(ADMINS) && user.value.inactive !== true) return true;
  }
  return false;
}

/** The same after the plan. */
async function keepsAdministrator(
  { users }: DirectoryState,
  { operations, after }: AppliedPlan,
): Promise<boolean> {
  const inactive = new Map<string, boolean>();
  const pause = bulkPause();
  for (const operation of operations) {
    await pause();
    if (operation.op === "put_user") inactive.set(operation.user.username, operation.user.inactive === true);
  }
  const isInactive = (username: string): boolean =>
    inactive.get(username) ?? users.get(username)?.user.value.inactive === true;
  return (await after.members(ADMINS)).values().some((username) => !isInactive(username));
}
