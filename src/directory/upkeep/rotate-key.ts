/**
 * Changes the key that secrets at rest are sealed with (spec/journal §4.10), in one commit: readers see all of it or nothing,
 * also after a crash. Every secret is opened before it, and again with the new key alone after it.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import {
  type ScannedRange,
  type ScannedRecord,
  type Snapshot,
  type Store,
  withSnapshot,
} from "../../store/port.ts";
import type { MetaRecord } from "../records/layout.ts";
import { KEY_PREFIX, keysInUse, storedKeyDerivation } from "../records/open-secrets.ts";
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

/** Opens every secret; returns how many there are. Throws "invalid_request" naming the records that do not open. */
async function verify(store: Store, box: SecretBox, onlyCurrent: boolean): Promise<number> {
  const failed: string[] = [];
  let count = 0;
  await withSnapshot(store, async (snapshot) => {
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
  });
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
  const before = await deriveSealingKey(oldKey, derivation);
  const after = await deriveSealingKey(newKey, derivation);
  const known = await keysInUse(store);
  if (known.some((id) => id !== before.id && id !== after.id)) {
    const message = "the secrets in this store are sealed with a key that is neither the old nor the new one";
    throw new AuthorizerError("invalid_request", message);
  }
  const onlyNew = new SecretBox(after);
  if (!known.includes(before.id)) {
    const verified = await verify(store, onlyNew, true);
    await forgetOldSecrets(store, before.id);
    return { outcome: "already", sealed: 0, verified };
  }
  await assertHeldByAll(options, after.id);
  await verify(store, new SecretBox(after, before), false);
  const sealed = await sealInOneCommit(options, { before, after });
  const verified = await verify(store, onlyNew, true);
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
async function assertHeldByAll({ store, force = false }: RotationOptions, keyId: string): Promise<void> {
  if (force) return;
  const lacking = await withSnapshot(store, async (snapshot) => {
    const found: ScannedRecord[] = [];
    for await (const page of pagesIn(snapshot, "meta", NODES)) {
      found.push(...page.filter(({ value }) => !(parseJsonText(value) as MetaRecord).holds?.includes(keyId)));
    }
    return found;
  });
  if (lacking.length === 0) return;
  const names = lacking.slice(0, SHOWN).map(({ key }) => key.slice(NODES.length));
  const message = `${lacking.length} nodes run without the new key: ${names.join(", ")}; give it to them as authorizer.previous_secret_key and start them again, or use --force where they were killed`;
  throw new AuthorizerError("invalid_request", message);
}

/** Seals every secret anew and names the new key as the one that seals: for readers, all of it or nothing. */
async function sealInOneCommit(
  { store, now, onProgress }: RotationOptions,
  { before, after }: { readonly before: SealingKey; readonly after: SealingKey },
): Promise<number> {
  const box = new SecretBox(after, before);
  return withSnapshot(store, async (snapshot) => {
    const meta = (key: string, record: MetaRecord) => ({
      partition: "meta",
      key,
      value: JSON.stringify(record),
    });
    const put = [meta(SEALING, { key: after.id }), meta(KEY_PREFIX + after.id, { since: now() })];
    const ranges: ScannedRange[] = [];
    let sealed = 0;
    for (const { partition, bindingOf } of SEALED) {
      ranges.push({ partition, prefix: "", after: undefined, upTo: undefined });
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
      reads: { revision: snapshot.revision, base: snapshot.base, keys: new Map(), ranges },
      put,
      delete: [{ partition: "meta", key: KEY_PREFIX + before.id }],
      // Whoever holds secrets or the name of the key that seals looks again.
      change: { all: true },
    });
    return sealed;
  });
}
