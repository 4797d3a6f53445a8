/** Use cases of an identity provider on users. */

import { isDeepStrictEqual } from "node:util";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { alreadyExists, assertNoProblems, userProblems } from "../../checks.ts";
import { type DirectoryContext, read } from "../../context.ts";
import type {
  ProvisionedFields,
  ProvisionedUser,
  ProvisionedUserKey,
  Provisioning,
} from "../../provisioning.ts";
import { eachSlice, nameOf, refsUnder, toProvisionedUser } from "../../read/provisioned.ts";
import type { StateReader } from "../../read/reader.ts";
import { foldName, type UserRecord } from "../../records/layout.ts";
import { renameUser } from "../../records/renaming.ts";
import { assertPerson, endSessions, putUser, removeUser, userRecord } from "../../records/user-records.ts";
import { endUnlisted } from "../end-unlisted.ts";
import type { Transaction } from "../transaction.ts";
import { FoldedNames } from "./folded-names.ts";
import { assertOpenUser, type ProtectedTest } from "./provisioned-guard.ts";
import { createSignIn } from "./sign-in.ts";

/** Source of the users that identity providers make. */
const SOURCE = "scim";

type UserCases = Pick<
  Provisioning,
  "signIn" | "user" | "findUser" | "eachUser" | "createUser" | "changeUser" | "deleteUser" | "groupsOf"
>;

/** The use cases. */
export function createProvisionedUsers(context: DirectoryContext, isProtected: ProtectedTest): UserCases {
  const { writer } = context;
  const names = new FoldedNames(context.store);
  return {
    signIn: createSignIn({ context, isProtected, names }),

    user: (id) =>
      read(context, async (reader) => {
        const { username, record } = await requireById(reader, id);
        return toProvisionedUser(username, record);
      }),

    async findUser(key) {
      if ("username" in key) await names.complete();
      return read(context, (reader) => findUser(reader, names, key));
    },

    eachUser: (visit) =>
      read(context, async (reader) => {
        await eachSlice(reader, "user", (slice) => {
          visit(slice.map(({ key, record }) => toProvisionedUser(key, record)));
        });
      }),

    createUser: async (fields) => {
      assertSound(context, fields);
      const { username } = fields;
      await names.complete();
      return writer.write(async (tx) => {
        await assertFree(tx, names, username);
        const head = {
          id: context.generateId(),
          creation_date: context.now(),
          managed: false,
          sessions_valid_after: context.nowMs(),
        };
        const record = userRecord({ ...fields, source: SOURCE }, head);
        await putUser(tx, username, undefined, record);
        tx.put("provisioned", record.id, { kind: "user", name: username });
        return toProvisionedUser(username, record);
      });
    },

    changeUser: (id, change) =>
      writer.write((tx) => changeUser(tx, { context, isProtected, names }, { id, change })),

    deleteUser: async (id) => {
      await writer.write(async (tx) => {
        const { username, record } = await requireById(tx, id);
        assertPerson(username, record);
        await assertOpenUser(tx, isProtected, { id, name: username });
        removeUser(tx, username, record);
      });
      context.wakeMaintenance();
    },

    groupsOf: (ids) =>
      read(context, async (reader) => {
        const entries = ids.map(async (id) => [id, await refsUnder(reader, "user_group", id)] as const);
        return new Map(await Promise.all(entries));
      }),
  };
}

interface Scope {
  readonly context: DirectoryContext;
  readonly isProtected: ProtectedTest;
  readonly names: FoldedNames;
}

async function changeUser(
  tx: Transaction,
  { context, isProtected, names }: Scope,
  { id, change }: { readonly id: string; readonly change: Parameters<UserCases["changeUser"]>[1] },
): Promise<ProvisionedUser> {
  const { username, record } = await requireById(tx, id);
  assertPerson(username, record);
  const before = toProvisionedUser(username, record);
  const fields = await change(before);
  assertSound(context, fields);
  const { source, encryptedPassword } = record;
  const kept = {
    ...(source !== undefined && { source }),
    ...(encryptedPassword !== undefined && { encryptedPassword }),
  };
  const after = userRecord({ ...fields, ...kept }, { ...record, managed: record.managed === true });
  const name = fields.username;
  if (name === username && isDeepStrictEqual(after, record)) return before;
  await assertOpenUser(tx, isProtected, { id, name: username });
  if (foldName(name) !== foldName(username)) {
    await names.complete();
    await assertFree(tx, names, name);
  }
  await putUser(tx, username, record, after);
  if (name !== username) await renameUser(tx, username, name, after);
  if (after.inactive === true && record.inactive !== true)
    await endUnlisted(tx, name, after, context.nowMs());
  else if (name !== username) endSessions(tx, name, after, context.nowMs());
  tx.put("provisioned", id, { kind: "user", name });
  return toProvisionedUser(name, after);
}

/** Throws where a user has the name, in any letter case. */
async function assertFree(tx: Transaction, names: FoldedNames, username: string): Promise<void> {
  const namesake = await names.namesakeOf(tx, username);
  if (namesake !== undefined) throw alreadyExists("user", namesake);
}

async function requireById(
  from: StateReader,
  id: string,
): Promise<{ readonly username: string; readonly record: UserRecord }> {
  const username = await nameOf(from, "user", id);
  return { username, record: (await from.get("user", username)) as UserRecord };
}

async function findUser(reader: StateReader, names: FoldedNames, key: ProvisionedUserKey) {
  const text = "username" in key ? key.username : key.external_id;
  if (!isPossibleName(text)) return undefined;
  const username =
    "username" in key
      ? await names.namesakeOf(reader, text)
      : (await reader.get("external_id", text))?.username;
  const record = username === undefined ? undefined : await reader.get("user", username);
  if (username === undefined || record === undefined) return undefined;
  if ("external_id" in key && record.external_id !== text) return undefined;
  return toProvisionedUser(username, record);
}

function assertSound({ rules }: DirectoryContext, fields: ProvisionedFields): void {
  assertNoProblems(userProblems(fields, rules.guards));
}
