/** Finds users and groups by their internal ids. */

import { bulkPause } from "../../schedule/bulk-pause.ts";
import { notFound } from "../checks.ts";
import type { ProvisionedGroup, ProvisionedRef, ProvisionedUser } from "../provisioning.ts";
import { toGroup } from "../records/group-records.ts";
import { type GroupRecord, splitKey, type UserRecord, under } from "../records/layout.ts";
import { toUser } from "../records/user-records.ts";
import type { Found, StateReader } from "./reader.ts";

/** Entities that are visited in one go. */
const SLICE = 4;

/** Kind of a provisioned entity. */
type ProvisionedKind = "user" | "group";

/** A user as identity providers see it. */
export function toProvisionedUser(username: string, record: UserRecord): ProvisionedUser {
  return { ...toUser(username, record), id: record.id };
}

/** A group as identity providers see it. */
export function toProvisionedGroup(name: string, record: GroupRecord): ProvisionedGroup {
  const { id, external_id } = record;
  return { ...toGroup(name, record), id, ...(external_id !== undefined && { external_id }) };
}

/**
 * Names by id, of those that exist. An entity that no identity provider has written yet is found by looking through
 * all of its kind.
 */
export async function namesById(
  from: StateReader,
  kind: ProvisionedKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const known = await from.getMany("provisioned", ids);
  const named = ids.flatMap((id, index) => {
    const record = known[index];
    return record?.kind === kind ? [{ id, name: record.name }] : [];
  });
  const records = await from.getMany(
    kind,
    named.map(({ name }) => name),
  );
  for (const [index, { id, name }] of named.entries()) if (records[index]?.id === id) names.set(id, name);
  const missing = new Set(ids.filter((id) => !names.has(id)));
  if (missing.size > 0) await scanFor(from, kind, missing, names);
  return names;
}

/** Visits all entities of a kind, a few at a time between other work: a visit may take long for each. */
export async function eachSlice<K extends ProvisionedKind>(
  from: StateReader,
  kind: K,
  visit: (slice: readonly Found<K>[]) => void,
): Promise<void> {
  const pause = bulkPause();
  for await (const page of from.scanAll(kind)) {
    for (let start = 0; start < page.length; start += SLICE) {
      visit(page.slice(start, start + SLICE));
      await pause();
    }
  }
}

async function scanFor(
  from: StateReader,
  kind: ProvisionedKind,
  missing: Set<string>,
  names: Map<string, string>,
): Promise<void> {
  const pause = bulkPause();
  for await (const page of from.scanAll(kind)) {
    for (const { key, record } of page) if (missing.delete(record.id)) names.set(record.id, key);
    if (missing.size === 0) return;
    await pause();
  }
}

/** The name of an entity; "not_found" if there is none. */
export async function nameOf(from: StateReader, kind: ProvisionedKind, id: string): Promise<string> {
  const name = (await namesById(from, kind, [id])).get(id);
  if (name === undefined) throw notFound(kind, id);
  return name;
}

/** The entities that references under an id name, in the order of their names. */
export async function refsUnder(
  from: StateReader,
  partition: "user_group" | "group_user",
  id: string,
): Promise<readonly ProvisionedRef[]> {
  const kind = partition === "user_group" ? "group" : "user";
  const found: ProvisionedRef[] = [];
  const pause = bulkPause();
  for await (const page of from.scanAll(partition, under(id, ""))) {
    const refs = page.map(({ key, record }) => ({ id: record.id, name: splitKey(key).rest }));
    const records = await from.getMany(
      kind,
      refs.map(({ name }) => name),
    );
    found.push(...refs.filter((ref, index) => records[index]?.id === ref.id));
    await pause();
  }
  return found;
}
