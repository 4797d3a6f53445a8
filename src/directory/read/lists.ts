/** Lists of what refers to users, groups and policies; references to what is gone are left out. */

import type { Group, User } from "@svc-authorizer/policy/model/entities.ts";
import type { Policy } from "@svc-authorizer/policy/model/policy.ts";
import type { Membership, Page } from "../directory.ts";
import { toGroup } from "../records/group-records.ts";
import { type RecordTypes, splitKey, under } from "../records/layout.ts";
import { attachmentsOf, type Holder, toPolicy } from "../records/policy-records.ts";
import { toUser } from "../records/user-records.ts";
import type { Range } from "./list-source.ts";
import { readPage } from "./pages.ts";
import type { Found, Reader, StateReader } from "./reader.ts";

type Refs = "user_group" | "group_user" | "user_policy" | "group_policy";

/** Reads the entities that references name; undefined if the name has another id now. */
async function follow<P extends "user" | "group" | "policy", T>(
  reader: Reader,
  partition: P,
  refs: { readonly found: readonly Found<Refs>[]; readonly names: readonly string[] },
  make: (name: string, record: RecordTypes[P]) => T,
): Promise<(T | undefined)[]> {
  const records = await reader.getMany(partition, refs.names);
  return records.map((record, index) =>
    record !== undefined && record.id === refs.found[index]!.record.id
      ? make(refs.names[index]!, record)
      : undefined,
  );
}

/** The users of a group. */
export function listMembers(reader: Reader, groupId: string, range: Range): Promise<Page<User>> {
  return readPage(reader, range, {
    partition: "group_user",
    base: under(groupId, ""),
    items: (found, names) => follow(reader, "user", { found, names }, toUser),
  });
}

/** The groups of a user. */
export function listGroupsOf(reader: Reader, userId: string, range: Range): Promise<Page<Group>> {
  return readPage(reader, range, {
    partition: "user_group",
    base: under(userId, ""),
    items: (found, names) => follow(reader, "group", { found, names }, toGroup),
  });
}

/** The first memberships of a user, with who made them; see `Users.memberships`. */
export async function membershipsOf(
  reader: StateReader,
  userId: string,
  most: number,
): Promise<readonly Membership[]> {
  const found: Membership[] = [];
  for await (const page of reader.scanAll("user_group", under(userId, ""))) {
    const names = page.map(({ key }) => splitKey(key).rest);
    const groups = await reader.getMany("group", names);
    for (const [index, { record }] of page.entries()) {
      if (groups[index]?.id !== record.id) continue;
      const { by, managed = false } = record;
      found.push({ group: names[index] as string, managed, ...(by !== undefined && { by }) });
      if (found.length >= most) return found;
    }
  }
  return found;
}

/** The policies attached to a user or group. */
export function listAttached(reader: Reader, holder: Holder, range: Range): Promise<Page<Policy>> {
  return readPage(reader, range, {
    partition: attachmentsOf(holder.kind),
    base: under(holder.id, ""),
    items: (found, names) => follow(reader, "policy", { found, names }, toPolicy),
  });
}
