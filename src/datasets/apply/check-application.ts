/** Checks an application against the directory: references, owners, what would be left (management-cli.md §10). */

import { type BatchOperation, type DirectoryState, entityKey } from "../../directory/batch.ts";
import type { ProblemList } from "../problem-list.ts";
import type { AppliedPlan } from "./applied-plan.ts";
import { policiesAfter } from "./policies-after.ts";
import type { WantedEntity } from "./wanted-entities.ts";

const ADMINS = "Admins";

/** The input of the checks. */
export interface ApplicationChecks {
  readonly manager: string;
  readonly wanted: readonly WantedEntity[];
  readonly state: DirectoryState;
  readonly plan: AppliedPlan;
  /** True if the service makes the directory equal to data sets of its own (`authorizer.datasets_mode: sync`). */
  readonly syncs: boolean;
  readonly problems: ProblemList;
}

/** Adds a problem for each entity that somebody else manages: another manager, or the data sets of the service. */
export function checkManagers({ manager, wanted, state, syncs, problems }: ApplicationChecks): void {
  for (const entity of wanted) {
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
export function checkRemains(checks: ApplicationChecks): void {
  const { wanted, plan, problems } = checks;
  const removed = new Set(
    plan.changes
      .filter(({ action, kind }) => action === "remove" && (kind === "group" || kind === "policy"))
      .map(({ kind, name }) => `${kind}/${name}`),
  );
  for (const { said, from } of wanted) {
    for (const [list, kind] of [
      ["groups", "group"],
      ["policies", "policy"],
    ] as const) {
      for (const [index, name] of (said[list] ?? []).entries()) {
        if (!removed.has(`${kind}/${name}`)) continue;
        const message = `the application removes this ${kind}: define it in one of the documents`;
        problems.add(from.source, `${from.pointer}/${list}/${index}`, message);
      }
    }
  }
  checkExternalIds(checks);
  checkAdministrators(checks);
}

function checkExternalIds({ wanted, state, plan, problems }: ApplicationChecks): void {
  if (!wanted.some(({ said }) => said.fields["external_id"] !== undefined)) return;
  const after = new Map<string, string | undefined>();
  for (const [username, { user }] of state.users) after.set(username, user.value.external_id);
  for (const operation of plan.operations) noteExternalId(after, operation);
  const named = new Map(wanted.filter(({ kind }) => kind === "user").map((entity) => [entity.name, entity]));
  const owners = new Map<string, string>();
  // Users whom the documents do not name come first: the documents are what has to change.
  const ordered = [...after].sort(([a], [b]) => Number(named.has(a)) - Number(named.has(b)));
  for (const [username, id] of ordered) {
    if (id === undefined) continue;
    const owner = owners.get(id);
    owners.set(id, owner ?? username);
    const from = named.get(username)?.from;
    if (owner === undefined || from === undefined) continue;
    problems.add(from.source, `${from.pointer}/external_id`, `this external id belongs to user "${owner}"`);
  }
}

function noteExternalId(after: Map<string, string | undefined>, operation: BatchOperation): void {
  if (operation.op === "delete_user") after.delete(operation.username);
  if (operation.op === "put_user") after.set(operation.user.username, operation.user.external_id);
}

/** Somebody has to be able to repair what documents break. */
function checkAdministrators({ wanted, state, plan, problems }: ApplicationChecks): void {
  const touches = plan.operations.some(
    (operation) =>
      operation.op === "delete_user" ||
      (operation.op === "put_user" && operation.user.inactive === true) ||
      (operation.op === "remove_member" && operation.group === ADMINS) ||
      (operation.op === "delete_group" && operation.name === ADMINS),
  );
  if (!touches || administrators(state, []).length === 0) return;
  if (administrators(state, plan.operations).length > 0) return;
  const message = `nobody would be left in ${ADMINS}`;
  const source = wanted[0]?.from.source;
  if (source === undefined) problems.addFile({ pointer: "", message });
  else problems.add(source, "", message);
}

/** The members of the group after operations who are not inactive. */
function administrators(state: DirectoryState, operations: readonly BatchOperation[]): readonly string[] {
  const inactive = new Map<string, boolean>();
  for (const operation of operations) {
    if (operation.op === "put_user") inactive.set(operation.user.username, operation.user.inactive === true);
  }
  return [...policiesAfter(state, operations).members(ADMINS)].filter(
    (username) => !(inactive.get(username) ?? state.users.get(username)?.user.value.inactive === true),
  );
}
