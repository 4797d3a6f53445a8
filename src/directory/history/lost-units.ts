/** Puts the records that a log lost together into things, and things into groups that are made again whole or not at all. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { Touched } from "../../store/port.ts";
import type { LostChanges, LostEntry, LostKind } from "../lost-changes.ts";
import type { StateReader } from "../read/reader.ts";
import {
  type Partition,
  type ProvisionedRecord,
  type RecordTypes,
  type RefRecord,
  type ResourceRecord,
  splitKey,
} from "../records/layout.ts";

/** Kinds of entities with an internal id. */
export type EntityKind = "user" | "group" | "policy";

/** The last that lost entries did to one record. */
export interface LostWrite {
  readonly partition: Partition;
  readonly key: string;
  /** Undefined: it was removed. */
  readonly record: RecordTypes[Partition] | undefined;
  /** The record that is there now; undefined: none. */
  readonly now: RecordTypes[Partition] | undefined;
  /** Revision of the lost entry that wrote it; undefined where it was removed. */
  readonly revision: number | undefined;
}

/** The writes of one thing. */
export interface LostUnit {
  readonly kind: LostKind;
  /** Internal ids, or names, that say which one it is: of a membership user and group, of an attachment holder and policy. */
  readonly ids: readonly string[];
  /** The kind of holder of an attachment. */
  readonly holder?: "user" | "group";
  readonly writes: LostWrite[];
}

/** A thing, as one of its records names it. */
type Named = Omit<LostUnit, "writes">;

/** The partitions that are made again, each with what its records belong to. */
const THINGS: { readonly [P in Partition]?: (key: string, record: RecordTypes[P]) => Named } = {
  user: (_, { id }) => ({ kind: "user", ids: [id] }),
  external_id: (_, { id }) => ({ kind: "user", ids: [id] }),
  email: (_, { id }) => ({ kind: "user", ids: [id] }),
  group: (_, { id }) => ({ kind: "group", ids: [id] }),
  policy: (_, { id }) => ({ kind: "policy", ids: [id] }),
  user_group: (key, { id }) => ({ kind: "membership", ids: [splitKey(key).id, id] }),
  group_user: (key, { id }) => ({ kind: "membership", ids: [id, splitKey(key).id] }),
  user_policy: (key, { id }) => attachment("user", splitKey(key).id, id),
  group_policy: (key, { id }) => attachment("group", splitKey(key).id, id),
  policy_holder: (key) => {
    const { id: policy, rest } = splitKey(key);
    const { id: kind, rest: holder } = splitKey(rest);
    return attachment(kind === "u" ? "user" : "group", holder, policy);
  },
  key: (key) => ({ kind: "access key", ids: [key] }),
  user_key: (key) => ({ kind: "access key", ids: [splitKey(key).rest] }),
  key_expiry: (key) => ({ kind: "access key", ids: [splitKey(key).rest] }),
  principal: (key) => ({ kind: "external principal", ids: [key] }),
  user_principal: (key) => ({ kind: "external principal", ids: [splitKey(key).rest] }),
  claim: (key) => ({ kind: "used token", ids: [key] }),
  claim_expiry: (key) => ({ kind: "used token", ids: [splitKey(key).rest] }),
  password: (key) => ({ kind: "password", ids: [key] }),
  session: (key) => ({ kind: "end of sessions", ids: [key] }),
  resource_type: (key) => ({ kind: "resource type", ids: [key] }),
  resource: (key, { type }: ResourceRecord) => ({
    kind: "resource",
    ids: [`${type}/${splitKey(key).rest}`],
  }),
  provisioned: (key, { kind }: ProvisionedRecord) => ({ kind, ids: [key] }),
  applied: (key, { id }) => ({ kind: splitKey(key).id as EntityKind, ids: [id] }),
};

function attachment(holder: "user" | "group", holderId: string, policyId: string): Named {
  return { kind: "attachment", holder, ids: [holderId, policyId] };
}

/** True if records of a partition are made again. */
export function isMadeAgain(partition: string): partition is Partition {
  return Object.hasOwn(THINGS, partition);
}

/** The thing that a record belongs to. */
function thingOf(partition: Partition, key: string, record: RecordTypes[Partition]): Named {
  const name = THINGS[partition] as ((key: string, record: unknown) => Named) | undefined;
  if (name === undefined) throw new AuthorizerError("internal", `records of ${partition} are no things`);
  return name(key, record);
}

/** Returns the record of a line of the file; throws AuthorizerError "invalid_request" for one that is none. */
export function recordOf(partition: string, key: string, value: string): RefRecord {
  const parsed: unknown = parse(value);
  if (typeof parsed === "object" && parsed !== null) return parsed as RefRecord;
  const message = `the record ${partition} ${JSON.stringify(key)} of the file cannot be read`;
  throw new AuthorizerError("invalid_request", message);
}

function parse(value: string): unknown {
  try {
    return parseJsonText(value);
  } catch {
    return undefined;
  }
}

/**
 * Puts what was lost together into things, as far as the directory is not already so.
 * @returns the things, and the count of records that are
 */
export async function unitsOf(
  lost: LostChanges,
  state: StateReader,
  isSame: (write: LostWrite) => boolean,
): Promise<{ readonly units: readonly LostUnit[]; readonly unchanged: number }> {
  const units = new Map<string, LostUnit>();
  let unchanged = 0;
  const add = (write: LostWrite): void => {
    if (isSame(write)) {
      unchanged += 1;
      return;
    }
    const thing = thingOf(write.partition, write.key, (write.record ?? write.now)!);
    const name = JSON.stringify([thing.kind, thing.holder, ...thing.ids]);
    const unit = units.get(name) ?? { ...thing, writes: [] };
    unit.writes.push(write);
    units.set(name, unit);
  };
  for (const { partition, key, value, version: revision } of lost.puts) {
    if (!isMadeAgain(partition)) continue;
    const record = recordOf(partition, key, value);
    add({ partition, key, record, now: await state.get(partition, key), revision });
  }
  for (const { partition, key } of lost.removed) {
    if (!isMadeAgain(partition)) continue;
    add({ partition, key, record: undefined, now: await state.get(partition, key), revision: undefined });
  }
  return { units: [...units.values()], unchanged };
}

/** Things that belong together, as one entry wrote them. */
export interface UnitGroup {
  readonly entries: Set<number>;
  readonly units: LostUnit[];
}

/**
 * Puts things together that share an entry: what an entry allowed must not come without what it denied.
 * @param namesOf names of a thing, as entries name it
 */
export function groupsOf(
  units: readonly LostUnit[],
  entries: readonly LostEntry[],
  namesOf: (unit: LostUnit) => Touched,
): readonly UnitGroup[] {
  const byEntry = new Map<number, UnitGroup>();
  const groups = new Set<UnitGroup>();
  for (const unit of units) {
    const wrote = unit.writes.flatMap(({ revision }) => revision ?? []);
    if (unit.writes.some(({ record }) => record === undefined)) {
      wrote.push(...entryThatNames(entries, namesOf(unit)));
    }
    const [group = { entries: new Set<number>(), units: [] }, ...others] = new Set(
      wrote.flatMap((entry) => byEntry.get(entry) ?? []),
    );
    groups.add(group);
    group.units.push(unit);
    for (const other of others) {
      for (const entry of other.entries) wrote.push(entry);
      for (const one of other.units) group.units.push(one);
      groups.delete(other);
    }
    for (const entry of wrote) {
      group.entries.add(entry);
      byEntry.set(entry, group);
    }
  }
  return [...groups];
}

/** The newest entry that names a thing, or names nothing as it touched too much. */
function entryThatNames(entries: readonly LostEntry[], names: Touched): readonly number[] {
  const found = entries.findLast(({ useCases = [] }) =>
    useCases.some(({ touched }) => hasAll(touched, names)),
  );
  return found === undefined ? [] : [found.revision];
}

function hasAll(touched: Touched | undefined, names: Touched): boolean {
  if (touched === undefined) return false;
  if (touched.all === true) return true;
  const kinds = ["users", "groups", "policies", "resources"] as const;
  const asked = kinds.filter((kind) => (names[kind] ?? []).length > 0);
  return (
    asked.length > 0 && asked.every((kind) => names[kind]!.every((name) => touched[kind]?.includes(name)))
  );
}
