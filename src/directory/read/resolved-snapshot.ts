/**
 * A snapshot in which write intents of batches read as what they stand for. An intent replaces a key's value while a
 * batch of more than one commit is under way; it holds the old and the new value and the batch's id. Whether a
 * reader sees old or new is decided by the batch's record in the same snapshot, so that one commit on that record
 * switches every key at once.
 */

import type { ScannedRecord, ScanOptions, Snapshot, StoredRecord } from "../../store/port.ts";
import type { BatchRecord } from "../records/layout.ts";

const INTENT = "!";
const ABSENT = -1;
/** Records read at once after invisible ones were met. */
const CATCH_UP = 500;

/** A value that waits for its batch; undefined stands for an absent key. */
export interface Intent {
  readonly batch: string;
  readonly old: string | undefined;
  readonly next: string | undefined;
}

/** The stored text of an intent: `!<batch> <old length> <old><new>`, length -1 for absent, `-` for no new value. */
export function encodeIntent({ batch, old, next }: Intent): string {
  const head = `${INTENT}${batch} ${old === undefined ? ABSENT : old.length} `;
  return next === undefined ? `${head}-${old ?? ""}` : `${head}+${old ?? ""}${next}`;
}

/** The intent in a stored text, or undefined where the text is a plain value. */
export function decodeIntent(value: string): Intent | undefined {
  if (!value.startsWith(INTENT)) return undefined;
  const afterBatch = value.indexOf(" ");
  const afterLength = value.indexOf(" ", afterBatch + 1);
  const length = Number(value.slice(afterBatch + 1, afterLength));
  const start = afterLength + 2;
  const middle = start + Math.max(length, 0);
  return {
    batch: value.slice(INTENT.length, afterBatch),
    old: length === ABSENT ? undefined : value.slice(start, middle),
    next: value[afterLength + 1] === "+" ? value.slice(middle) : undefined,
  };
}

/** A {@link Snapshot} of plain values over one with intents. */
export class ResolvedSnapshot implements Snapshot {
  readonly #inner: Snapshot;
  readonly #committed = new Map<string, boolean>();

  constructor(inner: Snapshot) {
    this.#inner = inner;
  }

  async get(partition: string, key: string): Promise<StoredRecord | undefined> {
    const stored = await this.#inner.get(partition, key);
    return stored?.value.startsWith(INTENT) ? this.#resolve(stored) : stored;
  }

  async getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    const stored = await this.#inner.getMany(partition, keys);
    if (!stored.some((record) => record?.value.startsWith(INTENT))) return stored;
    const resolved: (StoredRecord | undefined)[] = [];
    for (const record of stored) resolved.push(record && (await this.#resolve(record)));
    return resolved;
  }

  async scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]> {
    let page = await this.#inner.scan(partition, options);
    if (!page.some((record) => record.value.startsWith(INTENT))) return page;
    const found: ScannedRecord[] = [];
    let asked = options.limit;
    for (;;) {
      for (const record of page) {
        const resolved = await this.#resolve(record);
        if (resolved !== undefined) found.push({ key: record.key, ...resolved });
        if (found.length === options.limit) return found;
      }
      if (page.length < asked) return found;
      asked = Math.max(options.limit, CATCH_UP);
      page = await this.#inner.scan(partition, { ...options, after: page.at(-1)!.key, limit: asked });
    }
  }

  release(): void {
    this.#inner.release();
  }

  async #resolve({ value, version }: StoredRecord): Promise<StoredRecord | undefined> {
    const intent = decodeIntent(value);
    if (intent === undefined) return { value, version };
    const committed = await this.#isCommitted(intent.batch);
    const text = committed ? intent.next : intent.old;
    return text === undefined ? undefined : { value: text, version: `${version}${committed ? "+" : "-"}` };
  }

  async #isCommitted(batch: string): Promise<boolean> {
    const known = this.#committed.get(batch);
    if (known !== undefined) return known;
    const stored = await this.#inner.get("batch", batch);
    const committed = stored !== undefined && (JSON.parse(stored.value) as BatchRecord).state === "committed";
    this.#committed.set(batch, committed);
    return committed;
  }
}
