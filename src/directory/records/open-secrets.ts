/**
 * Finds the keys of a store's secrets at opening: `meta/kdf` has the salt, `meta/key/<id>` names each key that
 * secrets in the store are sealed with, so that a wrong secret key is an error at start and not garbage later. What a
 * start compares beside it, the partition of ARNs, is written in the same commit.
 */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type Expectation, expectAbsent, expectAsRead } from "../../store/expectation.ts";
import { type RecordPut, type Snapshot, type Store, withSnapshot } from "../../store/port.ts";
import type { MetaRecord } from "./layout.ts";
import { SEALING } from "./sealing.ts";
import {
  deriveSealingKey,
  type KeyCost,
  type KeyDerivation,
  newKeyDerivation,
  type SealingKey,
  SecretBox,
} from "./secrets.ts";
import { assertPartitionOfPolicies, assertPartitionOfStore, PARTITION } from "./store-partition.ts";

/** Cost of scrypt for stores on a disk: about 50 ms and 20 MiB. */
export const DURABLE_COST = { N: 2 ** 15, r: 5, p: 1 };

/** Beginning of the keys in `meta` that name the keys that secrets are sealed with. */
export const KEY_PREFIX = "key/";
const CURRENT_ITEM = "auth.encrypt.secret_key";
const PREVIOUS_ITEM = "authorizer.previous_secret_key";

/** Keys for the secrets of a store. */
interface SecretOptions {
  readonly store: Store;
  readonly secretKey: string;
  readonly previousSecretKey: string | undefined;
  /** Partition of ARNs (`authorizer.partition`). */
  readonly partition: string;
  /** Cost for a store that has none yet; only a store in memory may be cheaper than {@link DURABLE_COST}. */
  readonly cost: KeyCost;
  /** False: the store is only read, or another process has recorded what it is opened with. */
  readonly records: boolean;
  /** Unix seconds. */
  readonly now: () => number;
}

/** Opened secrets. */
export interface OpenedSecrets {
  readonly box: SecretBox;
  /** Ids of earlier keys that some secrets are still sealed with: they are to be sealed anew. */
  readonly outdatedKeys: readonly string[];
}

/** The key derivation of a store; undefined for a store that never had secrets. */
export async function storedKeyDerivation(store: Store): Promise<KeyDerivation | undefined> {
  const stored = await withSnapshot(store, (snapshot) => snapshot.get("meta", "kdf"));
  return stored && (parseJsonText(stored.value) as KeyDerivation);
}

async function readKeyDerivation(options: SecretOptions): Promise<KeyDerivation> {
  const stored = await storedKeyDerivation(options.store);
  if (stored !== undefined) return stored;
  const derivation = newKeyDerivation(options.cost);
  try {
    await options.store.commit({
      expect: [expectAbsent({ partition: "meta", key: "kdf" })],
      put: [{ partition: "meta", key: "kdf", value: JSON.stringify(derivation satisfies MetaRecord) }],
    });
    return derivation;
  } catch (error) {
    if (!isErrorCode(error, "conflict")) throw error;
    return readKeyDerivation(options);
  }
}

/** Ids of the keys that secrets in a state may be sealed with. */
export async function keysIn(snapshot: Snapshot): Promise<readonly string[]> {
  const found = await snapshot.scan("meta", { prefix: KEY_PREFIX, limit: 100 });
  return found.map(({ key }) => key.slice(KEY_PREFIX.length));
}

/** Forgets a key that no secret is sealed with any more. */
export async function forgetKey(store: Store, keyId: string): Promise<void> {
  await store.commit({ delete: [{ partition: "meta", key: KEY_PREFIX + keyId }] });
}

function wrongKey(previousSecretKey: string | undefined): AuthorizerError {
  const message =
    previousSecretKey === undefined
      ? `${CURRENT_ITEM} is not the key that the secrets in this store were encrypted with; restore the earlier key, or set ${PREVIOUS_ITEM} to it to change keys`
      : `neither ${CURRENT_ITEM} nor ${PREVIOUS_ITEM} is the key that the secrets in this store were encrypted with`;
  return new AuthorizerError("invalid_request", message);
}

/** The records of a store that a start is compared with. */
interface StoredIdentity {
  /** Ids of the keys that secrets may be sealed with. */
  readonly known: readonly string[];
  /** Id of the key that seals; undefined in a store of an earlier version. */
  readonly sealing: string | undefined;
  /** The condition of a commit that is derived from this: the records with single values are as they were read. */
  readonly unchanged: readonly Expectation[];
  /** Partition of ARNs; undefined in a store of an earlier version. */
  readonly partition: string | undefined;
}

function readIdentity(store: Store): Promise<StoredIdentity> {
  return withSnapshot(store, async (snapshot) => {
    const [sealing, partition] = await snapshot.getMany("meta", [SEALING, PARTITION]);
    return {
      known: await keysIn(snapshot),
      sealing: sealing && (parseJsonText(sealing.value) as MetaRecord).key,
      unchanged: [
        expectAsRead(snapshot, { partition: "meta", key: SEALING }, sealing),
        expectAsRead(snapshot, { partition: "meta", key: PARTITION }, partition),
      ],
      partition: partition && (parseJsonText(partition.value) as MetaRecord).partition,
    };
  });
}

/**
 * Opens the secrets of a store, giving a new store its salt and the partition of its ARNs. Throws AuthorizerError
 * "invalid_request", naming the configuration item, when the keys or the partition do not fit the store; a store that
 * was opened before is unchanged then.
 */
export async function openSecrets(options: SecretOptions): Promise<OpenedSecrets> {
  const { store, secretKey, partition } = options;
  if (secretKey === "") throw new AuthorizerError("invalid_request", `${CURRENT_ITEM} must not be empty`);
  const derivation = await readKeyDerivation(options);
  const current = await deriveSealingKey(secretKey, derivation);
  for (;;) {
    const stored = await readIdentity(store);
    assertPartitionOfStore(stored.partition, partition);
    if (stored.partition === undefined) await assertPartitionOfPolicies(store, partition);
    const opened = await openStored(options, { stored, derivation, current });
    try {
      if (options.records) await recordIdentity(options, stored, current.id);
      return opened;
    } catch (error) {
      if (!isErrorCode(error, "conflict")) throw error;
      // Another node has written meanwhile: what is stored now decides whether this one may start.
    }
  }
}

/** Opens the secrets with what the store says; throws "invalid_request" where the keys do not fit it. */
async function openStored(
  { store, previousSecretKey }: SecretOptions,
  {
    stored: { known, sealing },
    derivation,
    current,
  }: { readonly stored: StoredIdentity; readonly derivation: KeyDerivation; readonly current: SealingKey },
): Promise<OpenedSecrets> {
  const outdatedKeys = known.filter((id) => id !== current.id);
  const hasPrevious = previousSecretKey !== undefined && previousSecretKey !== "";
  const isPreviousUsed = outdatedKeys.length > 0 || (sealing !== undefined && sealing !== current.id);
  const previous =
    hasPrevious && (isPreviousUsed || isShared(store))
      ? await deriveSealingKey(previousSecretKey, derivation)
      : undefined;
  if (outdatedKeys.some((id) => id !== previous?.id)) throw wrongKey(previousSecretKey || undefined);
  const box = new SecretBox(current, previous);
  if (!isKeyOfLog(store, sealing)) return { box, outdatedKeys };
  if (!box.use(sealing)) throw wrongKey(previousSecretKey || undefined);
  return { box, outdatedKeys: [] };
}

/**
 * True where the log says which key seals, whatever the node is configured with: of several nodes, each of which may
 * be configured before or after a rotation, none decides by itself.
 */
function isKeyOfLog(store: Store, sealing: string | undefined): sealing is string {
  return isShared(store) && sealing !== undefined;
}

/**
 * Writes what the store does not say yet, in one commit: the partition and, unless the log says which key seals for all
 * nodes, the key as one that secrets are sealed with, and as the one that seals from now on. Throws "conflict" where somebody else has
 * written that since it was read.
 */
async function recordIdentity(
  { store, now, partition }: SecretOptions,
  stored: StoredIdentity,
  keyId: string,
): Promise<void> {
  const put: RecordPut[] = [];
  const add = (key: string, record: MetaRecord): void => {
    put.push({ partition: "meta", key, value: JSON.stringify(record) });
  };
  if (stored.partition === undefined) add(PARTITION, { partition });
  if (!isKeyOfLog(store, stored.sealing)) {
    if (!stored.known.includes(keyId)) add(KEY_PREFIX + keyId, { since: now() });
    if (stored.sealing !== keyId) add(SEALING, { key: keyId });
  }
  if (put.length === 0) return;
  await store.commit({ expect: stored.unchanged, put });
}

/** True for a store that several processes share. */
export function isShared(store: Store): boolean {
  return store.takeTurn !== undefined;
}

/** Id of the key that seals; undefined in a store of an earlier version. */
export async function sealingKey(store: Store): Promise<string | undefined> {
  const { sealing } = await readIdentity(store);
  return sealing;
}

/**
 * Opens the secrets of a store without writing anything; undefined if it never had any. Throws AuthorizerError
 * "invalid_request" when neither key is one that secrets in the store are sealed with.
 */
export async function openExistingSecrets(
  options: Pick<SecretOptions, "store" | "secretKey" | "previousSecretKey">,
): Promise<SecretBox | undefined> {
  const { store, secretKey, previousSecretKey } = options;
  const derivation = await storedKeyDerivation(store);
  if (derivation === undefined) return undefined;
  const current = await deriveSealingKey(secretKey, derivation);
  const previous = previousSecretKey ? await deriveSealingKey(previousSecretKey, derivation) : undefined;
  const known = await withSnapshot(store, keysIn);
  if (known.length > 0 && !known.some((id) => id === current.id || id === previous?.id)) {
    throw wrongKey(previousSecretKey || undefined);
  }
  return new SecretBox(current, previous);
}
