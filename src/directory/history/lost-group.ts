/** One group of lost things in a transaction: whether it fits what the directory is now, and the making of it again. */

import { isDeepStrictEqual } from "node:util";
import type { DirectoryContext } from "../context.ts";
import type { LostThing } from "../lost-changes.ts";
import { removeGroup } from "../records/group-records.ts";
import type {
  KeyRecord,
  Partition,
  PasswordRecord,
  PolicyRecord,
  RecordTypes,
  RefRecord,
} from "../records/layout.ts";
import { removePolicy } from "../records/policy-records.ts";
import { linksOf } from "../records/record-links.ts";
import type { SecretBinding } from "../records/secrets.ts";
import { removeUser } from "../records/user-records.ts";
import { SEALED } from "../upkeep/reseal.ts";
import type { Transaction } from "../write/transaction.ts";
import type { EntityNames } from "./entity-names.ts";
import type { EntityKind, LostUnit, LostWrite, UnitGroup } from "./lost-units.ts";
import type { WrittenSince } from "./written-since.ts";

/** The surroundings of a group. */
export interface GroupParts {
  readonly context: DirectoryContext;
  readonly tx: Transaction;
  readonly names: EntityNames;
  readonly since: WrittenSince;
}

/** True if a record is what a lost entry left. */
export function isSame({ partition, record, now }: Pick<LostWrite, "partition" | "record" | "now">): boolean {
  if (partition !== "policy" || record === undefined || now === undefined)
    return isDeepStrictEqual(record, now);
  const [lost, present] = [record as PolicyRecord, now as PolicyRecord];
  return lost.id === present.id && lost.rev === present.rev;
}

/** The thing, for people. */
export function shownThing(unit: LostUnit, names: EntityNames): LostThing {
  const { kind, writes } = unit;
  const isPut = writes.some(({ record }) => record !== undefined);
  const change = !isPut ? "remove" : writes.some(({ now }) => now !== undefined) ? "replace" : "create";
  return { change, kind, name: nameOf(unit, names) };
}

function nameOf({ kind, ids, holder }: LostUnit, names: EntityNames): string {
  const [one = "", other = ""] = ids.map((id) => names.get(id)?.name ?? id);
  if (kind === "membership") return `${one} in ${other}`;
  return kind === "attachment" ? `${other} to ${holder} ${one}` : one;
}

/** A group in a transaction. */
export class LostGroupRun {
  readonly #parts: GroupParts;
  readonly #units: readonly LostUnit[];
  readonly #after = new Map<string, LostWrite>();

  constructor({ units }: UnitGroup, parts: GroupParts) {
    this.#parts = parts;
    this.#units = units;
    for (const write of units.flatMap(({ writes }) => writes)) this.#after.set(keyOf(write), write);
  }

  /** Returns the reasons for which the group does not fit; empty: it fits. */
  async refusals(): Promise<readonly string[]> {
    const reasons = new Set<string>();
    for (const unit of this.#units) {
      const { kind, name } = shownThing(unit, this.#parts.names);
      const reason = this.#isRenamed(unit) ?? (await this.#refusal(unit));
      if (reason !== undefined) reasons.add(`${kind} ${JSON.stringify(name)}: ${reason}`);
    }
    return [...reasons];
  }

  #isRenamed({ kind, writes }: LostUnit): string | undefined {
    const own = writes.filter(({ partition }) => partition === kind);
    const isRenamed = own.some(({ record }) => record === undefined) && own.some(({ record }) => record);
    return isRenamed ? "it was renamed: rename it yourself" : undefined;
  }

  async #refusal({ writes }: LostUnit): Promise<string | undefined> {
    for (const write of writes) {
      const entry = this.#parts.since.entryOf(write);
      if (entry !== undefined) return `entry ${entry} of the log has written it since`;
      const reason = write.record && (await this.#refusalOfPut(write, write.record));
      if (reason !== undefined) return reason;
    }
    return undefined;
  }

  async #refusalOfPut(
    { partition, key }: LostWrite,
    record: RecordTypes[Partition],
  ): Promise<string | undefined> {
    const { names } = this.#parts;
    const { ids, mirrors } = linksOf(partition, key, record, (id) => names.get(id)?.name);
    for (const { id, name } of ids) {
      const entity = names.get(id);
      if (entity === undefined) return "what it belongs to is gone";
      const isThere = (name ?? entity.name) === entity.name && (await this.#idOf(entity)) === id;
      if (!isThere) return `${entity.kind} ${JSON.stringify(name ?? entity.name)} is gone, or another one`;
    }
    for (const mirror of mirrors) {
      const other = await this.#get(mirror.partition, mirror.key);
      if (other === undefined || !mirror.matches(other))
        return `its record in ${mirror.partition} says otherwise`;
    }
    const binding = bindingOf(partition, key, record);
    if (binding !== undefined && !this.#parts.context.secrets.opens(secretOf(record), binding))
      return "no present key opens its secret";
    return undefined;
  }

  async #idOf({ kind, name }: { readonly kind: EntityKind; readonly name: string }) {
    return ((await this.#get(kind, name)) as RefRecord | undefined)?.id;
  }

  /** A record as it is once the group is made again. */
  async #get(partition: Partition, key: string): Promise<RecordTypes[Partition] | undefined> {
    const write = this.#after.get(keyOf({ partition, key }));
    return write === undefined ? this.#parts.tx.get(partition, key) : write.record;
  }

  /** Makes the group again. */
  apply(): void {
    for (const unit of this.#units) this.#touch(unit);
    const writes = [...this.#after.values()];
    // An entity that is gone takes its indexes along, and leaves a mark for what refers to it.
    for (const { partition, key, record, now } of writes) {
      const isOther = (record as RefRecord | undefined)?.id !== (now as RefRecord | undefined)?.id;
      if (now !== undefined && isOther) this.#removeEntity(partition, key, now);
    }
    const { tx } = this.#parts;
    for (const { partition, key, record } of writes) {
      if (record === undefined) tx.delete(partition, key);
      else tx.put(partition, key, this.#resealed(partition, key, record));
    }
  }

  #removeEntity(partition: Partition, name: string, now: RecordTypes[Partition]): void {
    const { tx } = this.#parts;
    if (partition === "user") removeUser(tx, name, now as RecordTypes["user"]);
    else if (partition === "group") removeGroup(tx, name, now as RecordTypes["group"]);
    else if (partition === "policy") removePolicy(tx, name, now as RecordTypes["policy"]);
  }

  /** The key of encryption may have been changed since. */
  #resealed<R extends RecordTypes[Partition]>(partition: Partition, key: string, record: R): R {
    const { secrets } = this.#parts.context;
    const binding = bindingOf(partition, key, record);
    if (binding === undefined) return record;
    return { ...record, secret: secrets.seal(secrets.open(secretOf(record), binding), binding) };
  }

  /** Tells caches and the log. */
  #touch({ kind, ids, holder, writes }: LostUnit): void {
    const { names } = this.#parts;
    const { changes } = this.#parts.tx;
    const touch = (id: string | undefined, by: "touch" | "mention"): void => {
      const entity = id === undefined ? undefined : names.get(id);
      if (id === undefined || entity === undefined) return;
      if (by === "touch") changes.touch(entity.kind, id, entity.name);
      else changes.mention(entity.kind, entity.name);
    };
    if (kind === "resource" || kind === "resource type") changes.touchResource(ids[0]!);
    else if (holder !== undefined || kind === "membership") {
      touch(ids[0], "touch");
      touch(ids[1], "mention");
    } else if (kind === "access key" || kind === "external principal") {
      for (const { record, now } of writes)
        for (const owner of [record, now]) touch((owner as RefRecord | undefined)?.id, "touch");
    } else if (kind !== "used token") touch(ids[0], "touch");
  }
}

/** The binding of the secret of a record; undefined for a record without one. */
function bindingOf(
  partition: Partition,
  key: string,
  record: RecordTypes[Partition],
): SecretBinding | undefined {
  return SEALED.find((one) => one.partition === partition)?.bindingOf(key, record);
}

function secretOf(record: RecordTypes[Partition]): string {
  return (record as KeyRecord | PasswordRecord).secret;
}

function keyOf({ partition, key }: { readonly partition: string; readonly key: string }): string {
  return `${partition}\0${key}`;
}
