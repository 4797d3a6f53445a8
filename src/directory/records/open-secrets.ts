/**
 * Finds the keys of a store's secrets at opening: `meta/kdf` has the salt, `meta/key/<id>` names each key that
 * secrets in the store are sealed with, so that a wrong secret key is an error at start and not garbage later.
 */

import { AuthorizerError, isErrorCode } from "../../errors.ts";
import { type Store, withSnapshot } from "../../store/port.ts";
import type { MetaRecord } from "./layout.ts";
import { SEALING } from "./sealing.ts";
import {
  deriveSealingKey,
  type KeyCost,
  type KeyDerivation,
  newKeyDerivation,
  SecretBox,
} from "./secrets.ts";

/** Cost of scrypt for stores on a disk: about 50 ms and 20 MiB. */
export const DURABLE_COST = { N: 2 ** 15, r: 5, p: 1 };

/** Beginning of the keys in `meta` that name the keys that secrets are sealed with. */
export const KEY_PREFIX = "key/";
const CURRENT_ITEM = "auth.encrypt.secret_key";
const PREVIOUS_ITEM = "authorizer.previous_secret_key";

/** Keys for the secrets of a store. */
export interface SecretOptions {
  readonly store: Store;
  readonly secretKey: string;
  readonly previousSecretKey: string | undefined;
  /** Cost for a store that has none yet; only a store in memory may be cheaper than {@link DURABLE_COST}. */
  readonly cost: KeyCost;
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
  return stored && (JSON.parse(stored.value) as KeyDerivation);
}

async function readKeyDerivation(options: SecretOptions): Promise<KeyDerivation> {
  const stored = await storedKeyDerivation(options.store);
  if (stored !== undefined) return stored;
  const derivation = newKeyDerivation(options.cost);
  try {
    await options.store.commit({
      expect: [{ partition: "meta", key: "kdf", version: undefined }],
      put: [{ partition: "meta", key: "kdf", value: JSON.stringify(derivation satisfies MetaRecord) }],
    });
    return derivation;
  } catch (error) {
    if (!isErrorCode(error, "conflict")) throw error;
    return readKeyDerivation(options);
  }
}

/** Ids of the keys that secrets in a store may be sealed with. */
export async function keysInUse(store: Store): Promise<readonly string[]> {
  const found = await withSnapshot(store, (snapshot) =>
    snapshot.scan("meta", { prefix: KEY_PREFIX, limit: 100 }),
  );
  return found.map(({ key }) => key.slice(KEY_PREFIX.length));
}

/** Names a key as one that secrets in the store may be sealed with. */
export async function recordKey(
  { store, now }: Pick<SecretOptions, "store" | "now">,
  keyId: string,
): Promise<void> {
  const value = JSON.stringify({ since: now() } satisfies MetaRecord);
  await store.commit({ put: [{ partition: "meta", key: KEY_PREFIX + keyId, value }] });
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

/**
 * Opens the secrets of a store, giving a new store its salt. Throws AuthorizerError "invalid_request", naming the
 * configuration item, when the keys do not fit the store.
 */
export async function openSecrets(options: SecretOptions): Promise<OpenedSecrets> {
  const { store, secretKey, previousSecretKey } = options;
  if (secretKey === "") throw new AuthorizerError("invalid_request", `${CURRENT_ITEM} must not be empty`);
  const derivation = await readKeyDerivation(options);
  const current = await deriveSealingKey(secretKey, derivation);
  const known = await keysInUse(store);
  const outdatedKeys = known.filter((id) => id !== current.id);
  const sealing = await sealingKey(store);
  const hasPrevious = previousSecretKey !== undefined && previousSecretKey !== "";
  const isPreviousUsed = outdatedKeys.length > 0 || (sealing !== undefined && sealing !== current.id);
  const previous =
    hasPrevious && (isPreviousUsed || isShared(store))
      ? await deriveSealingKey(previousSecretKey, derivation)
      : undefined;
  if (outdatedKeys.some((id) => id !== previous?.id)) throw wrongKey(previousSecretKey || undefined);
  const box = new SecretBox(current, previous);
  // Of several nodes, each of which may be configured before or after a rotation, none decides by itself.
  if (isShared(store) && sealing !== undefined) {
    if (!box.use(sealing)) throw wrongKey(previousSecretKey || undefined);
    return { box, outdatedKeys: [] };
  }
  if (!known.includes(current.id)) await recordKey(options, current.id);
  if (sealing !== current.id) await recordSealing(store, current.id, sealing);
  return { box, outdatedKeys };
}

/** True for a store that several processes share. */
export function isShared(store: Store): boolean {
  return store.takeTurn !== undefined;
}

/** Id of the key that seals; undefined in a store of an earlier version. */
export async function sealingKey(store: Store): Promise<string | undefined> {
  const stored = await withSnapshot(store, (snapshot) => snapshot.get("meta", SEALING));
  return stored && (JSON.parse(stored.value) as MetaRecord).key;
}

/** Names the key that seals from now on, unless somebody else has named one meanwhile. */
async function recordSealing(store: Store, keyId: string, before: string | undefined): Promise<void> {
  const stored = await withSnapshot(store, (snapshot) => snapshot.get("meta", SEALING));
  const key = stored && (JSON.parse(stored.value) as MetaRecord).key;
  if (key !== before) return;
  const value = JSON.stringify({ key: keyId } satisfies MetaRecord);
  try {
    await store.commit({
      expect: [{ partition: "meta", key: SEALING, version: stored?.version }],
      put: [{ partition: "meta", key: SEALING, value }],
    });
  } catch (error) {
    if (!isErrorCode(error, "conflict")) throw error;
  }
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
  const known = await keysInUse(store);
  if (known.length > 0 && !known.some((id) => id === current.id || id === previous?.id)) {
    throw wrongKey(previousSecretKey || undefined);
  }
  return new SecretBox(current, previous);
}
