/**
 * Finds what a commit revokes (spec/journal §4.11): deleted or changed access keys and passwords, claimed tokens, deleted and inactive users,
 * ends of sessions, removed external principals. Memberships, attachments and policies are none.
 */

import { createHash } from "node:crypto";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { Turns } from "../../schedule/turns.ts";
import {
  type Commit,
  type RecordName,
  type RecordPut,
  type Store,
  type StoredRecord,
  withSnapshot,
} from "../../store/port.ts";
import type { ClaimRecord, KeyRecord, OwnerRecord, UserRecord } from "../records/layout.ts";

/** Partitions whose records can be revoked. */
type RevocablePartition = "key" | "claim" | "user" | "principal" | "password";

/**
 * Stands in the place of a partition for the users who were renamed, by internal id: an older state has them under another
 * name.
 */
export const RENAMED = "renamed user";

/** A record that a commit revokes, or that stands for it from now on. */
export interface RevokedState extends RecordName {
  /** As {@link stateOf}; null: the record was removed. */
  readonly state: string | null;
  /** Unix seconds at which it expires by itself; undefined: it does not. */
  readonly expires?: number;
}

const PARTITIONS: ReadonlySet<string> = new Set<RevocablePartition>([
  "key",
  "claim",
  "user",
  "principal",
  "password",
]);

/** The state of a user, of those that count here. */
interface UserState {
  readonly id: string;
  readonly inactive: boolean;
  readonly validAfter: number;
}

/** Says what a record is, without a secret. */
export function stateOf(partition: string, value: string): string {
  const record = parseJsonText(value);
  switch (partition as RevocablePartition) {
    case "claim":
      return String((record as ClaimRecord).expires_at);
    case "principal":
      return (record as OwnerRecord).id;
    case "key":
    case "password":
      return createHash("sha256").update(value).digest("base64url").slice(0, 22);
    case "user":
      return userState(record as UserRecord);
  }
}

function userState({ id, inactive, sessions_valid_after = 0 }: UserRecord): string {
  return `${inactive === true ? "-" : "+"}${sessions_valid_after} ${id}`;
}

/** Reads what {@link stateOf} said of a user. */
export function parseUserState(state: string): UserState {
  const blank = state.indexOf(" ");
  return {
    id: state.slice(blank + 1),
    inactive: state.startsWith("-"),
    validAfter: Number(state.slice(1, blank)),
  };
}

/**
 * Returns what a commit revokes.
 * @param store before the commit; one whose reads are outdated fails, so that this is what it changes
 * @param isKnown whether something was revoked before: its newest state is wanted
 */
export async function revokedBy(
  store: Store,
  commit: Commit,
  isKnown: (name: RecordName) => boolean,
): Promise<readonly RevokedState[]> {
  const writes = { put: [...ofPartitions(commit.put)], delete: [...ofPartitions(commit.delete)] };
  if (writes.put.length + writes.delete.length === 0) return [];
  return withSnapshot(store, (snapshot) =>
    revokedIn(writes, ({ partition, key }) => snapshot.get(partition, key), isKnown),
  );
}

/** Writes of a commit, or of an entry. */
interface Writes {
  readonly put: Iterable<RecordPut>;
  readonly delete: Iterable<RecordName>;
}

/**
 * Returns what writes revoke.
 * @param before reads a record as it was before them
 * @param isKnown as of {@link revokedBy}
 */
export async function revokedIn(
  writes: Writes,
  before: (name: RecordName) => Promise<StoredRecord | undefined>,
  isKnown: (name: RecordName) => boolean,
): Promise<readonly RevokedState[]> {
  const turns = new Turns();
  const found: RevokedState[] = [];
  /** States of the users that are written, by id: one who is deleted under a name may only be renamed. */
  const written = new Map<string, string>();
  for (const { partition, key, value } of ofPartitions(writes.put)) {
    const then = partition === "claim" ? undefined : (await before({ partition, key }))?.value;
    if (partition === "user") {
      const { id } = parseJsonText(value) as UserRecord;
      written.set(id, stateOf(partition, value));
      const renamed = { partition: RENAMED, key: id };
      if (isKnown(renamed)) found.push({ ...renamed, state: stateOf(partition, value) });
    }
    if (isKnown({ partition, key }) || isRevocation(partition, then, value)) {
      const expires = partition === "claim" ? (parseJsonText(value) as ClaimRecord).expires_at : undefined;
      const state = stateOf(partition, value);
      found.push({ partition, key, state, ...(expires !== undefined && { expires }) });
    }
    if (turns.spent) await turns.yield();
  }
  for (const { partition, key } of ofPartitions(writes.delete)) {
    const then = (await before({ partition, key }))?.value;
    // An expired claim is removed by upkeep: it is remembered for as long as it has to be.
    if (then === undefined || partition === "claim") continue;
    if (partition === "user") {
      const { id } = parseJsonText(then) as UserRecord;
      const renamed = { partition: RENAMED, key: id };
      const state = written.get(id);
      if (state !== undefined || isKnown(renamed)) found.push({ ...renamed, state: state ?? null });
      if (state !== undefined) continue;
    }
    found.push({ partition, key, state: null });
    if (turns.spent) await turns.yield();
  }
  return found;
}

function* ofPartitions<T extends RecordName>(records: Iterable<T> = []): Generator<T> {
  for (const record of records) if (PARTITIONS.has(record.partition)) yield record;
}

function isRevocation(partition: string, before: string | undefined, after: string): boolean {
  if (partition === "claim") return true;
  if (before === undefined) return partition === "user" && after.includes('"inactive":true');
  if (partition === "key" || partition === "password") return !isSameSecret(before, after);
  if (partition === "principal") return stateOf(partition, before) !== stateOf(partition, after);
  const [then, now] = [before, after].map((value) => parseUserState(stateOf("user", value)));
  return now!.inactive || then!.id !== now!.id || then!.validAfter !== now!.validAfter;
}

/**
 * True if only the key of encryption of an access key or a password is another, which is named in the sealed secret, or the
 * name of its user.
 */
export function isSameSecret(before: string, after: string): boolean {
  const [then, now] = [before, after].map((value) => parseJsonText(value) as KeyRecord);
  const sealedBy = ({ secret }: KeyRecord) => secret.split(".")[1];
  const { secret: _, username: __, ...old } = then!;
  const { secret: ___, username: ____, ...young } = now!;
  const isSealedSame = then!.secret === now!.secret || sealedBy(then!) !== sealedBy(now!);
  return isSealedSame && JSON.stringify(old) === JSON.stringify(young);
}
