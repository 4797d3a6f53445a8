/** Use cases on groups and their members. */

import { alreadyExists, assertNoProblems, groupProblems } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { Groups, Page, PageRequest } from "../directory.ts";
import type { Range } from "../read/list-source.ts";
import { listAttached, listMembers } from "../read/lists.ts";
import { EMPTY_PAGE, rangeOf, readPage } from "../read/pages.ts";
import type { Reader } from "../read/reader.ts";
import {
  putGroup,
  putMember,
  removeGroup,
  removeMember,
  requireGroup,
  toGroup,
} from "../records/group-records.ts";
import type { GroupRecord } from "../records/layout.ts";
import { attach, detach, requirePolicy } from "../records/policy-records.ts";
import { requireUser } from "../records/user-records.ts";
import type { Transaction } from "./transaction.ts";

/** The use cases on groups of a directory. */
export function createGroups(context: DirectoryContext): Groups {
  return { ...entityCases(context), ...memberCases(context), ...policyCases(context) };
}

function entityCases(context: DirectoryContext): Pick<Groups, "create" | "get" | "list" | "delete"> {
  const { writer, rules, now } = context;
  return {
    async create(group) {
      assertNoProblems(groupProblems(group, rules.guards));
      const { name, description, creation_date = now() } = group;
      return writer.write(async (tx) => {
        if ((await tx.get("group", name)) !== undefined) throw alreadyExists("group", name);
        const id = context.generateId();
        const record = { id, creation_date, ...(description !== undefined && { description }) };
        putGroup(tx, name, record);
        return toGroup(name, record);
      });
    },

    get: (name) => read(context, async (reader) => toGroup(name, await requireGroup(reader, name))),

    async list(page) {
      const range = rangeOf(page);
      if (range === undefined) return EMPTY_PAGE;
      return read(context, (reader) =>
        readPage(reader, range, {
          partition: "group",
          base: "",
          texts: ({ description }) => [description],
          items: (found, names) => found.map(({ record }, index) => toGroup(names[index]!, record)),
        }),
      );
    },

    async delete(name) {
      await writer.write(async (tx) => removeGroup(tx, name, await requireGroup(tx, name)));
      context.wakeMaintenance();
    },
  };
}

async function ends(tx: Transaction, group: string, username: string) {
  const { id: groupId } = await requireGroup(tx, group);
  const { id: userId } = await requireUser(tx, username);
  return { group, groupId, username, userId };
}

function memberCases(context: DirectoryContext): Pick<Groups, "members" | "addMember" | "removeMember"> {
  const { writer } = context;
  return {
    members: (name, page) =>
      pageOfGroup(context, name, page, (reader, { id }, range) => listMembers(reader, id, range)),

    addMember: (group, username) =>
      writer.write(async (tx) => {
        const added = await putMember(tx, await ends(tx, group, username), false);
        if (!added) throw alreadyExists(`membership in group ${JSON.stringify(group)} of user`, username);
      }),

    removeMember: (group, username) =>
      writer.write(async (tx) => removeMember(tx, await ends(tx, group, username))),
  };
}

function policyCases(context: DirectoryContext): Pick<Groups, "policies" | "attachPolicy" | "detachPolicy"> {
  const { writer } = context;
  return {
    policies: (group, page) =>
      pageOfGroup(context, group, page, (reader, { id }, range) =>
        listAttached(reader, { kind: "group", id }, range),
      ),

    attachPolicy: (group, name) =>
      writer.write(async (tx) => {
        const { id } = await requireGroup(tx, group);
        const policy = await requirePolicy(tx, name);
        const added = await attach(tx, { kind: "group", id, name: group }, { name, id: policy.id }, false);
        if (!added) throw alreadyExists(`attachment to group ${JSON.stringify(group)} of policy`, name);
      }),

    detachPolicy: (group, name) =>
      writer.write(async (tx) => {
        const { id } = await requireGroup(tx, group);
        const policy = await requirePolicy(tx, name);
        await detach(tx, { kind: "group", id, name: group }, { name, id: policy.id });
      }),
  };
}

function pageOfGroup<T>(
  context: DirectoryContext,
  name: string,
  page: PageRequest,
  list: (reader: Reader, group: GroupRecord, range: Range) => Promise<Page<T>>,
): Promise<Page<T>> {
  return read(context, async (reader) => {
    const group = await requireGroup(reader, name);
    const range = rangeOf(page);
    return range === undefined ? EMPTY_PAGE : list(reader, group, range);
  });
}
