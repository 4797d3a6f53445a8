/** Use cases of an identity provider on groups. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { externalIdProblem, isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { bulkPause } from "../../../schedule/bulk-pause.ts";
import { alreadyExists, assertField, assertNoProblems, groupProblems, quoted } from "../../checks.ts";
import { type DirectoryContext, read } from "../../context.ts";
import type { ProvisionedGroupChange, Provisioning } from "../../provisioning.ts";
import { eachSlice, nameOf, namesById, refsUnder, toProvisionedGroup } from "../../read/provisioned.ts";
import { putGroup, putMember, removeGroup, removeMember } from "../../records/group-records.ts";
import { type GroupRecord, under } from "../../records/layout.ts";
import { renameGroup } from "../../records/renaming.ts";
import { assertPerson } from "../../records/user-records.ts";
import type { Transaction } from "../transaction.ts";
import { assertOpenGroup, type ProtectedTest } from "./provisioned-guard.ts";

type GroupCases = Pick<
  Provisioning,
  "group" | "findGroup" | "eachGroup" | "createGroup" | "changeGroup" | "deleteGroup" | "members"
>;

/** The use cases. */
export function createProvisionedGroups(context: DirectoryContext, isProtected: ProtectedTest): GroupCases {
  const { writer, rules } = context;
  // Looking through all users takes long, and would be part of what the transaction has read: names of an earlier state first.
  const resolve = (ids: readonly string[]) => read(context, (reader) => namesById(reader, "user", ids));
  return {
    group: (id) =>
      read(context, async (reader) => {
        const name = await nameOf(reader, "group", id);
        return toProvisionedGroup(name, (await reader.get("group", name)) as GroupRecord);
      }),

    findGroup: (name) =>
      read(context, async (reader) => {
        const record = isPossibleName(name) ? await reader.get("group", name) : undefined;
        return record && toProvisionedGroup(name, record);
      }),

    eachGroup: (visit) =>
      read(context, async (reader) => {
        await eachSlice(reader, "group", (slice) => {
          visit(slice.map(({ key, record }) => toProvisionedGroup(key, record)));
        });
      }),

    createGroup: async ({ name, external_id, members }) => {
      assertNoProblems(groupProblems({ name }, rules.guards));
      if (external_id !== undefined) assertField("/external_id", externalIdProblem(external_id));
      assertOpenGroup(isProtected, name);
      const names = await resolve(members);
      return writer.write(async (tx) => {
        if ((await tx.get("group", name)) !== undefined) throw alreadyExists("group", name);
        const record: GroupRecord = {
          id: context.generateId(),
          creation_date: context.now(),
          ...(external_id !== undefined && { external_id }),
        };
        putGroup(tx, name, record);
        tx.put("provisioned", record.id, { kind: "group", name });
        await addMembers(tx, { name, id: record.id }, members, names);
        return toProvisionedGroup(name, record);
      });
    },

    changeGroup: async (id, change) => {
      if (change.name !== undefined) assertNoProblems(groupProblems({ name: change.name }, rules.guards));
      if (change.external_id) assertField("/external_id", externalIdProblem(change.external_id));
      const { members = [], add = [], remove = [] } = change;
      const names = await resolve([...new Set([...members, ...add, ...remove])]);
      return writer.write(async (tx) => {
        const before = await nameOf(tx, "group", id);
        assertOpenGroup(isProtected, before);
        if (change.name !== undefined) assertOpenGroup(isProtected, change.name);
        const record = await changedGroup(tx, before, change);
        const name = change.name ?? before;
        if (name !== before) await renameGroup(tx, before, name, record);
        tx.put("provisioned", id, { kind: "group", name });
        await changeMembers(tx, { name, id }, change, names);
        return toProvisionedGroup(name, record);
      });
    },

    deleteGroup: async (id) => {
      await writer.write(async (tx) => {
        const name = await nameOf(tx, "group", id);
        assertOpenGroup(isProtected, name);
        removeGroup(tx, name, (await tx.get("group", name)) as GroupRecord);
      });
      context.wakeMaintenance();
    },

    members: (id) => read(context, (reader) => refsUnder(reader, "group_user", id)),
  };
}

/** Names of users, as a state had them. */
type NamesById = ReadonlyMap<string, string>;

interface GroupRef {
  readonly id: string;
  readonly name: string;
}

async function changedGroup(
  tx: Transaction,
  name: string,
  { external_id }: ProvisionedGroupChange,
): Promise<GroupRecord> {
  const record = (await tx.get("group", name)) as GroupRecord;
  if (external_id === undefined || external_id === (record.external_id ?? null)) return record;
  const { external_id: _before, ...rest } = record;
  const after = external_id === null ? rest : { ...rest, external_id };
  putGroup(tx, name, after);
  return after;
}

async function changeMembers(
  tx: Transaction,
  group: GroupRef,
  { members, add = [], remove = [] }: ProvisionedGroupChange,
  earlier: NamesById,
): Promise<void> {
  const gone = new Map<string, string>();
  const wanted = new Set([...(members ?? []), ...add]);
  if (members !== undefined) {
    for (const { id, name } of await refsUnder(tx, "group_user", group.id)) gone.set(id, name);
  }
  for (const [id, name] of await memberNames(tx, group, remove, earlier)) gone.set(id, name);
  for (const id of remove) wanted.delete(id);
  for (const id of add) wanted.add(id);
  const pause = bulkPause();
  for (const [id, name] of gone) {
    if (wanted.has(id)) continue;
    await removeMember(tx, { group: group.name, groupId: group.id, username: name, userId: id });
    await pause();
  }
  await addMembers(tx, group, [...wanted], earlier);
}

/** The names of those who are members in the state of the transaction. */
async function memberNames(
  tx: Transaction,
  group: GroupRef,
  ids: readonly string[],
  earlier: NamesById,
): Promise<NamesById> {
  const names = new Map<string, string>();
  const others = new Set<string>();
  const pause = bulkPause();
  for (const id of ids) {
    if ((await tx.get("user_group", under(id, group.name)))?.id === group.id) {
      const name = earlier.get(id);
      if (name !== undefined && (await tx.get("user", name))?.id === id) names.set(id, name);
      else others.add(id);
    }
    await pause();
  }
  if (others.size === 0) return names;
  for (const { id, name } of await refsUnder(tx, "group_user", group.id)) {
    if (others.has(id)) names.set(id, name);
  }
  return names;
}

/** The names of users in the state of the transaction, which may know users that the earlier one did not. */
async function userNames(tx: Transaction, ids: readonly string[], earlier: NamesById): Promise<NamesById> {
  const names = new Map<string, string>();
  const pause = bulkPause();
  for (const id of ids) {
    const name = earlier.get(id);
    if (name !== undefined && (await tx.get("user", name))?.id === id) names.set(id, name);
    await pause();
  }
  const others = ids.filter((id) => !names.has(id));
  return others.length === 0 ? names : new Map([...names, ...(await namesById(tx, "user", others))]);
}

/** Adds users, each of which must exist. */
async function addMembers(
  tx: Transaction,
  group: GroupRef,
  ids: readonly string[],
  earlier: NamesById,
): Promise<void> {
  const pause = bulkPause();
  const distinct = [...new Set(ids)];
  const names = await userNames(tx, distinct, earlier);
  for (const userId of distinct) {
    const username = names.get(userId);
    if (username === undefined) throw noSuchMember(userId);
    assertPerson(username, await tx.get("user", username));
    await putMember(tx, { group: group.name, groupId: group.id, username, userId }, false);
    tx.put("provisioned", userId, { kind: "user", name: username });
    await pause();
  }
}

function noSuchMember(id: string): AuthorizerError {
  const message = `there is no user with the id ${quoted(id)}`;
  return new AuthorizerError("invalid_request", message, { problems: [{ pointer: "/members", message }] });
}
