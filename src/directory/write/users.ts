/** Use cases on users. */

import type { User } from "@svc-authorizer/policy/model/entities.ts";
import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import { alreadyExists, assertNoProblems, userFieldProblems, userProblems } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Page, PageRequest, UserFilter, Users } from "../directory.ts";
import type { Range } from "../read/list-source.ts";
import { listAttached, listGroupsOf, membershipsOf } from "../read/lists.ts";
import { EMPTY_PAGE, rangeOf, readPage } from "../read/pages.ts";
import type { Reader } from "../read/reader.ts";
import { TextSearch } from "../read/text-search.ts";
import { emailKey, type UserRecord } from "../records/layout.ts";
import { attach, detach, requirePolicy } from "../records/policy-records.ts";
import {
  changedRecord,
  putUser,
  removeUser,
  requireUser,
  toUser,
  userRecord,
} from "../records/user-records.ts";
import { endUnlisted } from "./end-unlisted.ts";

/** The use cases on users of a directory. */
export function createUsers(context: DirectoryContext): Users {
  const { writer, rules, now } = context;
  return {
    newId: () => context.generateId(),

    async create(user, id = context.generateId()) {
      assertNoProblems(userProblems(user, rules.guards));
      return writer.write(async (tx) => {
        if ((await tx.get("user", user.username)) !== undefined) throw alreadyExists("user", user.username);
        const head = {
          id,
          creation_date: now(),
          managed: false,
          sessions_valid_after: context.nowMs(),
        };
        const record = userRecord(user, head);
        await putUser(tx, user.username, undefined, record);
        return toUser(user.username, record);
      });
    },

    get: (username) => read(context, async (reader) => toUser(username, await requireUser(reader, username))),

    async list(page, filter) {
      const range = rangeOf(page);
      if (range === undefined || !canFind(filter)) return EMPTY_PAGE;
      return read(context, (reader) => listUsers(reader, range, filter));
    },

    async update(username, change) {
      assertNoProblems(userFieldProblems(change));
      return writer.write(async (tx) => {
        const before = await requireUser(tx, username);
        const after = changedRecord(before, change);
        await putUser(tx, username, before, after);
        if (after.inactive === true && before.inactive !== true) {
          await endUnlisted(tx, username, after, context.nowMs());
        }
        return toUser(username, after);
      });
    },

    async delete(username) {
      await writer.write(async (tx) => removeUser(tx, username, await requireUser(tx, username)));
      context.wakeMaintenance();
    },

    groups: (username, page) =>
      pageOfUser(context, username, page, (reader, { id }, range) => listGroupsOf(reader, id, range)),

    memberships: (username, most) =>
      read(context, async (reader) => membershipsOf(reader, (await requireUser(reader, username)).id, most)),

    policies: (username, page) =>
      pageOfUser(context, username, page, (reader, { id }, range) =>
        listAttached(reader, { kind: "user", id }, range),
      ),

    attachPolicy: (username, name) =>
      writer.write(async (tx) => {
        const user = await requireUser(tx, username);
        const policy = await requirePolicy(tx, name);
        const added = await attach(
          tx,
          { kind: "user", id: user.id, name: username },
          { name, id: policy.id },
          false,
        );
        if (!added) throw alreadyExists(`attachment to user ${JSON.stringify(username)} of policy`, name);
      }),

    detachPolicy: (username, name) =>
      writer.write(async (tx) => {
        const user = await requireUser(tx, username);
        const policy = await requirePolicy(tx, name);
        await detach(tx, { kind: "user", id: user.id, name: username }, { name, id: policy.id });
      }),
  };
}

/** Reads a page of a list of a user; "not_found" for an unknown user, whatever the page. */
export function pageOfUser<T>(
  context: DirectoryContext,
  username: string,
  page: PageRequest,
  list: (reader: Reader, user: UserRecord, range: Range) => Promise<Page<T>>,
): Promise<Page<T>> {
  return read(context, async (reader) => {
    const user = await requireUser(reader, username);
    const range = rangeOf(page);
    return range === undefined ? EMPTY_PAGE : list(reader, user, range);
  });
}

function canFind(filter: UserFilter | undefined): boolean {
  const texts = [filter?.email, filter?.external_id].filter((text) => text !== undefined);
  return texts.every(isPossibleName);
}

function listUsers(reader: Reader, range: Range, filter: UserFilter | undefined): Promise<Page<User>> {
  if (filter?.external_id !== undefined) return listByExternalId(reader, range, filter.external_id);
  if (filter?.email !== undefined) return listByEmail(reader, range, filter.email);
  return readPage(reader, range, {
    partition: "user",
    base: "",
    texts: ({ friendly_name, email }) => [friendly_name, email],
    items: (found, names) => found.map(({ record }, index) => toUser(names[index]!, record)),
  });
}

async function listByExternalId(reader: Reader, range: Range, externalId: string): Promise<Page<User>> {
  const owner = await reader.get("external_id", externalId);
  if (owner === undefined) return EMPTY_PAGE;
  const { username } = owner;
  const user = await reader.get("user", username);
  if (user?.id !== owner.id || user.external_id !== externalId) return EMPTY_PAGE;
  const isInRange =
    username.startsWith(range.prefix) &&
    compareUtf8(username, range.after) > 0 &&
    new TextSearch(range.search).isIn(username);
  return isInRange ? { results: [toUser(username, user)], next_offset: "" } : EMPTY_PAGE;
}

function listByEmail(reader: Reader, range: Range, email: string): Promise<Page<User>> {
  return readPage(reader, range, {
    partition: "email",
    base: emailKey(email, ""),
    items: async (found, names) => {
      const users = await reader.getMany("user", names);
      return users.map((user, index) =>
        user !== undefined && user.id === found[index]!.record.id && user.email === email
          ? toUser(names[index]!, user)
          : undefined,
      );
    },
  });
}
