/**
 * Removes what referred to deleted entities. Such records are unreachable already; sweeping only frees their space.
 * It goes in small commits, each of which expects what it was derived from, and begins again from what is left after a
 * restart.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type Expectation, expectAsRead } from "../../store/expectation.ts";
import type { Snapshot, Store } from "../../store/port.ts";
import { withSnapshot } from "../../store/port.ts";
import {
  expiryKey,
  holderKey,
  type KeyRecord,
  type Partition,
  type SweepRecord,
  splitKey,
  under,
} from "../records/layout.ts";

/** Records swept by one commit: each is at most two deletions and two expectations. */
const STEP = 30;

interface Key {
  readonly partition: Partition;
  readonly key: string;
}

/** The counterpart of a swept record; deleted too, unless it stands for something newer by now. */
interface Counterpart extends Key {
  /** It goes only if the field of its record has this value. */
  readonly only?: { readonly field: string; readonly value: string | number };
}

type CounterpartOf = (name: string, record: { readonly id?: string }) => Counterpart;

interface Plan {
  readonly partition: Partition;
  readonly counterpart: CounterpartOf;
}

const idIs = (value: string) => ({ field: "id", value });

function plansOf(id: string, { kind, name }: SweepRecord): readonly Plan[] {
  const mirrored = (partition: Partition, key: string): Counterpart => ({ partition, key, only: idIs(id) });
  switch (kind) {
    case "user":
      return [
        {
          partition: "user_group",
          counterpart: (_, { id: group = "" }) => mirrored("group_user", under(group, name)),
        },
        {
          partition: "user_policy",
          counterpart: (_, { id: policy = "" }) => ({
            partition: "policy_holder",
            key: holderKey(policy, "u", id),
          }),
        },
        { partition: "user_key", counterpart: (key) => mirrored("key", key) },
        { partition: "user_principal", counterpart: (principal) => mirrored("principal", principal) },
      ];
    case "group":
      return [
        {
          partition: "group_user",
          counterpart: (_, { id: user = "" }) => mirrored("user_group", under(user, name)),
        },
        {
          partition: "group_policy",
          counterpart: (_, { id: policy = "" }) => ({
            partition: "policy_holder",
            key: holderKey(policy, "g", id),
          }),
        },
      ];
    case "policy":
      return [
        {
          partition: "policy_holder",
          counterpart: (holder) =>
            mirrored(holder.startsWith("u/") ? "user_policy" : "group_policy", under(holder.slice(2), name)),
        },
      ];
  }
}

/** A record that goes, and what goes with it. */
interface Pair {
  readonly own: Key;
  readonly other: Counterpart;
}

/**
 * Deletes records and their counterparts in one commit.
 * @param reasons what it expects of the records that say that they go
 */
async function deletePairs(
  store: Store,
  snapshot: Snapshot,
  { pairs, reasons }: { readonly pairs: readonly Pair[]; readonly reasons: readonly Expectation[] },
): Promise<void> {
  const expect = [...reasons];
  const deleted = new Map<string, Key>();
  const add = ({ partition, key }: Key): unknown => deleted.set(`${partition}\n${key}`, { partition, key });
  for (const { own, other } of pairs) {
    add(own);
    if (other.only === undefined) {
      add(other);
      continue;
    }
    const stored = await snapshot.get(other.partition, other.key);
    if (stored === undefined) continue;
    const record = parseJsonText(stored.value) as Record<string, unknown>;
    if (record[other.only.field] !== other.only.value) continue;
    expect.push(expectAsRead(snapshot, other, stored));
    add(other);
  }
  await store.commit({ expect, delete: [...deleted.values()] });
}

/**
 * Removes some of what referred to a deleted entity; true when nothing is left, or it is not deleted in the state that is
 * read: another one may have taken the place of that in which it was.
 */
export async function sweepStep(store: Store, id: string): Promise<boolean> {
  return withSnapshot(store, async (snapshot) => {
    const name: Key = { partition: "sweep", key: id };
    const stored = await snapshot.get(name.partition, id);
    if (stored === undefined) return true;
    const reasons = [expectAsRead(snapshot, name, stored)];
    for (const { partition, counterpart } of plansOf(id, parseJsonText(stored.value) as SweepRecord)) {
      const base = under(id, "");
      const found = await snapshot.scan(partition, { prefix: base, limit: STEP });
      if (found.length === 0) continue;
      const pairs = found.map(({ key, value }) => ({
        own: { partition, key },
        other: counterpart(key.slice(base.length), parseJsonText(value) as { readonly id?: string }),
      }));
      await deletePairs(store, snapshot, { pairs, reasons });
      return false;
    }
    await store.commit({ expect: reasons, delete: [name, { partition: "provisioned", key: id }] });
    return true;
  });
}

/** Internal ids of the next deleted entities that wait to be swept, at most `limit`. */
export async function nextSweeps(store: Store, limit: number): Promise<readonly string[]> {
  const found = await withSnapshot(store, (snapshot) => snapshot.scan("sweep", { limit }));
  return found.map(({ key }) => key);
}

/** An entry of the order of expiry: its key, and what it says. */
interface Expiry {
  readonly entry: Key;
  /** The condition of a commit that is derived from it. */
  readonly unchanged: Expectation;
  readonly key: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** The first entries whose expiry is before a time: keys begin with it. */
async function firstExpired(
  snapshot: Snapshot,
  partition: "key_expiry" | "claim_expiry" | "issued_expiry",
  before: number,
): Promise<Expiry[]> {
  const first = await snapshot.scan(partition, { limit: STEP });
  const end = expiryKey(Math.max(0, before), "");
  return first
    .filter(({ key }) => key < end)
    .map((stored) => {
      const { id, rest: key } = splitKey(stored.key);
      const entry = { partition, key: stored.key };
      return { entry, unchanged: expectAsRead(snapshot, entry, stored), key, expiresAt: Number(id) };
    });
}

/** Seconds for which keys are kept after their expiry: a node whose clock is behind has them longer. */
const KEY_KEPT_SECONDS = 600;

/**
 * Drops some access keys that have expired; true when none are left. Nobody finds them anyway.
 * @param now Unix seconds
 */
export async function dropExpiredKeys(store: Store, now: number): Promise<boolean> {
  return withSnapshot(store, async (snapshot) => {
    const expired = await firstExpired(snapshot, "key_expiry", now - KEY_KEPT_SECONDS);
    if (expired.length === 0) return true;
    const expect = expired.map(({ unchanged }) => unchanged);
    const deleted: Key[] = [];
    for (const { entry, key, expiresAt } of expired) {
      deleted.push(entry);
      const stored = await snapshot.get("key", key);
      if (stored === undefined) continue;
      const { id, expires_at } = parseJsonText(stored.value) as KeyRecord;
      // The id may stand for another key by now.
      if (expires_at !== expiresAt) continue;
      expect.push(expectAsRead(snapshot, { partition: "key", key }, stored));
      deleted.push({ partition: "key", key }, { partition: "user_key", key: under(id, key) });
    }
    await store.commit({ expect, delete: deleted });
    return false;
  });
}

/** Seconds for which claims are kept after the expiry of their tokens, since clocks of nodes differ (spec/journal §5). */
const CLAIM_KEPT_SECONDS = 24 * 3_600;

/**
 * Drops some claims of tokens that expired a day ago; true when none are left.
 * @param now Unix seconds
 */
export async function dropExpiredClaims(store: Store, now: number): Promise<boolean> {
  return withSnapshot(store, async (snapshot) => {
    const expired = await firstExpired(snapshot, "claim_expiry", now - CLAIM_KEPT_SECONDS);
    if (expired.length === 0) return true;
    const pairs = expired.map(({ entry: own, key, expiresAt: value }) => ({
      own,
      other: { partition: "claim", key, only: { field: "expires_at", value } } as const,
    }));
    await deletePairs(store, snapshot, { pairs, reasons: expired.map(({ unchanged }) => unchanged) });
    return false;
  });
}

/**
 * Drops some records of login tokens that have expired; true when none are left. Nobody finds them anyway.
 * @param now Unix seconds
 */
export async function dropExpiredSessions(store: Store, now: number): Promise<boolean> {
  return withSnapshot(store, async (snapshot) => {
    const expired = await firstExpired(snapshot, "issued_expiry", now);
    if (expired.length === 0) return true;
    await store.commit({
      expect: expired.map(({ unchanged }) => unchanged),
      delete: expired.flatMap(({ entry, key }): Key[] => [entry, { partition: "issued", key }]),
    });
    return false;
  });
}
