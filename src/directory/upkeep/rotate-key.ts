/**
 * Changes the key that secrets at rest are sealed with, in a store that nobody else has open. Every secret is opened
 * before the first is written, and again with the new key alone before the old key is forgotten; a run that was killed
 * is taken up by the next one.
 */

import { AuthorizerError } from "../../errors.ts";
import { type ScannedRecord, type Store, withSnapshot } from "../../store/port.ts";
import { forgetKey, keysInUse, recordKey, storedKeyDerivation } from "../records/open-secrets.ts";
import { deriveSealingKey, SecretBox } from "../records/secrets.ts";
import { resealPage, SEALED } from "./reseal.ts";

/** Options of {@link rotateSecretKey}. */
export interface RotationOptions {
  readonly store: Store;
  readonly oldKey: string;
  readonly newKey: string;
  /** Unix seconds. */
  readonly now: () => number;
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
  for (const { partition, bindingOf } of SEALED) {
    for await (const page of pagesOf(store, partition)) {
      for (const { key, value } of page) {
        const record = JSON.parse(value) as { readonly secret: string };
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

async function* pagesOf(store: Store, partition: string): AsyncGenerator<readonly ScannedRecord[]> {
  let after: string | undefined;
  for (;;) {
    const found = await withSnapshot(store, (snapshot) =>
      snapshot.scan(partition, { limit: PAGE, ...(after !== undefined && { after }) }),
    );
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
    return { outcome: "already", sealed: 0, verified: await verify(store, onlyNew, true) };
  }
  await verify(store, new SecretBox(after, before), false);
  // From here on the store opens with both keys only, until the last step.
  if (!known.includes(after.id)) await recordKey(options, after.id);
  const sealed = await resealAll(options, new SecretBox(after, before));
  const verified = await verify(store, onlyNew, true);
  await forgetKey(store, before.id);
  return { outcome: "rotated", sealed, verified };
}

async function resealAll({ store, onProgress }: RotationOptions, box: SecretBox): Promise<number> {
  let sealed = 0;
  let position: string | undefined;
  for (;;) {
    const page = await resealPage(store, box, position);
    sealed += page.sealed;
    onProgress?.(sealed);
    if (page.done) return sealed;
    position = page.after;
  }
}
