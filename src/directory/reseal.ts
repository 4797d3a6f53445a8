/** Seals secrets anew after a change of the configured secret key, so that the previous one can be dropped. */

import { isErrorCode } from "../errors.ts";
import { type ScannedRecord, type Store, withSnapshot } from "../store/store.ts";
import { forgetKey, type OpenedSecrets } from "./open-secrets.ts";
import type { KeyRecord } from "./records.ts";
import { ResolvedSnapshot } from "./resolved-snapshot.ts";
import type { SecretBox } from "./secrets.ts";

/** Secrets per commit: a write and an expectation each. */
const STEP = 50;

function resealed(box: SecretBox, { key, value }: ScannedRecord): KeyRecord | undefined {
  const record = JSON.parse(value) as KeyRecord;
  if (box.isCurrent(record.secret)) return undefined;
  const binding = { kind: "access_key", accessKeyId: key, userId: record.id } as const;
  try {
    return { ...record, secret: box.seal(box.open(record.secret, binding), binding) };
  } catch (error) {
    // A damaged secret opens with no key; it must not keep the others from being sealed.
    if (isErrorCode(error, "internal")) return undefined;
    throw error;
  }
}

/** Walks over all access keys, a commit at a time. */
export class Resealing {
  readonly #store: Store;
  readonly #secrets: OpenedSecrets;
  #after: string | undefined;
  #done: boolean;

  constructor(store: Store, secrets: OpenedSecrets) {
    this.#store = store;
    this.#secrets = secrets;
    this.#done = secrets.outdatedKeys.length === 0;
  }

  /** Seals some secrets anew; true when all are sealed with the current key. */
  async step(): Promise<boolean> {
    if (this.#done) return true;
    const after = this.#after;
    const found = await withSnapshot(this.#store, (raw) =>
      new ResolvedSnapshot(raw).scan("key", { limit: STEP, ...(after !== undefined && { after }) }),
    );
    const changed = found.flatMap((stored) => {
      const record = resealed(this.#secrets.box, stored);
      return record === undefined ? [] : [{ stored, record }];
    });
    if (changed.length > 0) {
      await this.#store.commit({
        expect: changed.map(({ stored }) => ({ partition: "key", key: stored.key, version: stored.version })),
        put: changed.map(({ stored, record }) => ({
          partition: "key",
          key: stored.key,
          value: JSON.stringify(record),
        })),
      });
    }
    this.#after = found.at(-1)?.key ?? this.#after;
    if (found.length === STEP) return false;
    for (const id of this.#secrets.outdatedKeys) await forgetKey(this.#store, id);
    this.#done = true;
    return true;
  }
}
