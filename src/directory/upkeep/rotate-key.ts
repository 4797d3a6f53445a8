/**
 * Changes the key that secrets at rest are sealed with (spec/journal §4.10), in one commit: readers see all of it or nothing,
 * also after a crash. Every secret is opened before it, and again with the new key alone after it.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import {
  type ReadSet,
  type RecordPut,
  type ScannedRange,
  type ScannedRecord,
  type Snapshot,
  type Store,
  withSnapshot,
} from "../../store/port.ts";
import type { MetaRecord } from "../records/layout.ts";
import { KEY_PREFIX, keysIn, storedKeyDerivation } from "../records/open-secrets.ts";
import { NODES, SEALING } from "../records/sealing.ts";
import { deriveSealingKey, type SealingKey, SecretBox } from "../records/secrets.ts";
import { resealed, SEALED } from "./reseal.ts";

/** Options of {@link rotateSecretKey}. */
interface RotationOptions {
  readonly store: Store;
  readonly oldKey: string;
  readonly newKey: string;
  /** Unix seconds. */
  readonly now: () => number;
  /** True: also while nodes of a shared store run that lack the new key. */
  readonly force?: boolean;
  /** Called now and then with the secrets sealed so far. */
  readonly onProgress?: (sealed: number) => void;
}

/** The result of a rotation. */
export interface RotationReport {
  /** `already`: the store knows the new key alone. */
  readonly outcome: "rotated" | "already";
  /** Secrets sealed anew by this run. */
  readonly sealed: number;
  /** Secrets that were opened with the new key alone. */
  readonly verified: number;
}

const PAGE = 500;
/** Records that a message names. */
const SHOWN = 10;

/** Attempts at the commit while others write secrets, keys or reports of nodes. */
const MOST_ATTEMPTS = 10;
/** Attempts before others are asked to hold their commits back. */
const BEFORE_TURN = 2;

/** Opens every secret; returns how many there are. Throws "invalid_request" naming the records that do not open. */
async function verify(snapshot: Snapshot, box: SecretBox, onlyCurrent: boolean): Promise<number> {
  const failed: string[] = [];
  let count = 0;
  for (const { partition, bindingOf } of SEALED) {
    for await (const page of pagesIn(snapshot, partition)) {
      for (const { key, value } of page) {
        const record = parseJsonText(value) as { readonly secret: string };
        count += 1;
        const isSealed = !onlyCurrent || box.isCurrent(record.secret);
        if (!isSealed || !box.opens(record.secret, bindingOf(key, record))) {
          failed.push(`${partition} ${JSON.stringify(key)}`);
        }
      }
    }
  }
  if (failed.length === 0) return count;
  const shown = failed.slice(0, SHOWN).join(", ");
  const message = `${failed.length} of ${count} stored secrets open with neither key: ${shown}; delete what they belong to or restore it from a backup, then run the rotation again`;
  throw new AuthorizerError("invalid_request", message);
}

async function* pagesIn(
  snapshot: Snapshot,
  partition: string,
  prefix = "",
): AsyncGenerator<readonly ScannedRecord[]> {
  let after: string | undefined;
  for (;;) {
    const range = { prefix, limit: PAGE, ...(after !== undefined && { after }) };
    const found = await snapshot.scan(partition, range);
    yield found;
    if (found.length < PAGE) return;
    after = found.at(-1)!.key;
  }
}

/**
 * Seals all secrets with the new key and forgets the old one.
 * @throws AuthorizerError "invalid_request" when a key does not fit the store or a secret opens with neither; nothing
 * was changed then
 */
export async function rotateSecretKey(options: RotationOptions): Promise<RotationReport> {
  const { store, oldKey, newKey } = options;
  if (oldKey === newKey) throw new AuthorizerError("invalid_request", "the old and the new key are the same");
  const derivation = await storedKeyDerivation(store);
  if (derivation === undefined) {
    throw new AuthorizerError("invalid_request", "this store has no secrets yet: start with the new key");
  }
  const keys = {
    before: await deriveSealingKey(oldKey, derivation),
    after: await deriveSealingKey(newKey, derivation),
  };
  const sealed = await sealInOneCommit(options, keys);
  const onlyNew = new SecretBox(keys.after);
  const verified = await withSnapshot(store, (snapshot) => verify(snapshot, onlyNew, true));
  if (sealed === undefined) {
    await forgetOldSecrets(store, keys.before.id);
    return { outcome: "already", sealed: 0, verified };
  }
  // The log has the secrets as the old key sealed them.
  await store.history.forgetPast();
  return { outcome: "rotated", sealed, verified };
}

/** Removes the past where a run that was killed has left secrets in it that the old key sealed. */
async function forgetOldSecrets(store: Store, keyId: string): Promise<void> {
  const { history } = store;
  const oldest = await history.snapshotAt(await history.keptFrom());
  const isOld = (await oldest.get("meta", KEY_PREFIX + keyId)) !== undefined;
  oldest.release();
  if (isOld) await history.forgetPast();
}

/** Throws "invalid_request", naming them, while nodes run that could not open what the new key seals. */
async function assertHeldByAll(snapshot: Snapshot, keyId: string): Promise<void> {
  const lacking: ScannedRecord[] = [];
  for await (const page of pagesIn(snapshot, "meta", NODES)) {
    lacking.push(...page.filter(({ value }) => !(parseJsonText(value) as MetaRecord).holds?.includes(keyId)));
  }
  if (lacking.length === 0) return;
  const names = lacking.slice(0, SHOWN).map(({ key }) => key.slice(NODES.length));
  const message = `${lacking.length} nodes run without the new key: ${names.join(", ")}; give it to them as authorizer.previous_secret_key and start them again, or use --force where they were killed`;
  throw new AuthorizerError("invalid_request", message);
}

/** The key that sealed, and the one that seals from now on. */
interface Keys {
  readonly before: SealingKey;
  readonly after: SealingKey;
}

/**
 * Seals every secret anew and names the new key as the one that seals: for readers, all of it or nothing. Returns how many
 * there were; undefined where the old key is not in use.
 */
async function sealInOneCommit(options: RotationOptions, keys: Keys): Promise<number | undefined> {
  const { store } = options;
  for (let attempt = 1; ; attempt++) {
    if (attempt > BEFORE_TURN) await store.takeTurn?.();
    try {
      return await withSnapshot(store, (snapshot) => sealIn(snapshot, options, keys));
    } catch (error) {
      if (!isErrorCode(error, "conflict")) throw error;
      if (attempt === MOST_ATTEMPTS)
        throw new AuthorizerError("conflict", "others kept changing secrets; try again");
    }
  }
}

/** One attempt. Whatever it was judged by is what it writes to: keys, nodes and secrets are of one state. */
async function sealIn(
  snapshot: Snapshot,
  { store, now, force = false, onProgress }: RotationOptions,
  { before, after }: Keys,
): Promise<number | undefined> {
  const known = await keysIn(snapshot);
  if (known.some((id) => id !== before.id && id !== after.id)) {
    const message = "the secrets in this store are sealed with a key that is neither the old nor the new one";
    throw new AuthorizerError("invalid_request", message);
  }
  if (!known.includes(before.id)) return undefined;
  if (!force) await assertHeldByAll(snapshot, after.id);
  const box = new SecretBox(after, before);
  await verify(snapshot, box, false);
  const put = [metaPut(SEALING, { key: after.id }), metaPut(KEY_PREFIX + after.id, { since: now() })];
  let sealed = 0;
  for (const { partition, bindingOf } of SEALED) {
    for await (const page of pagesIn(snapshot, partition)) {
      for (const stored of page) {
        const record = resealed(box, stored, bindingOf);
        if (record === undefined) continue;
        put.push({ partition, key: stored.key, value: JSON.stringify(record) });
        sealed += 1;
      }
      onProgress?.(sealed);
    }
  }
  await store.commit({
    reads: readsOf(snapshot, force),
    put,
    delete: [{ partition: "meta", key: KEY_PREFIX + before.id }],
    // Whoever holds secrets or the name of the key that seals looks again.
    change: { all: true },
  });
  return sealed;
}

/** All that an attempt read: with `force` it did not look at the nodes. */
function readsOf({ revision, base }: Snapshot, force: boolean): ReadSet {
  const whole = (partition: string, prefix = ""): ScannedRange => {
    return { partition, prefix, after: undefined, upTo: undefined };
  };
  const ranges = SEALED.map(({ partition }) => whole(partition));
  ranges.push(whole("meta", KEY_PREFIX));
  if (!force) ranges.push(whole("meta", NODES));
  return { revision, base, keys: new Map(), ranges };
}

function metaPut(key: string, record: MetaRecord): RecordPut {
  return { partition: "meta", key, value: JSON.stringify(record) };
}
