/**
 * From format 1 to 2. In format 1 a batch of more than 100 writes was several commits: each key held an intent with
 * its old and its new value, and the batch's record said which of them counts. A batch that was interrupted is settled
 * here: finished where it was committed, undone if it was not.
 */

import type { Migration } from "../format.ts";
import { putValue } from "./database.ts";
import { decodeVersion, REVISION_KEY, recordKey, scanRange, textKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";

const INTENT = "!";
const ABSENT = -1;
/** Partitions of the batches themselves. */
const BATCHES = "batch";
const BATCH_KEYS = "batch_keys";

/** Value of a key while a batch is under way; undefined stands for an absent key. */
interface Intent {
  readonly batch: string;
  readonly old: string | undefined;
  readonly next: string | undefined;
}

/** Settles interrupted batches. */
export const SETTLE_BATCHES: Migration<LocalDatabase> = {
  from: 1,
  what: "batches are one commit: interrupted ones are finished or undone",
  run: settleBatches,
};

function settleBatches(database: LocalDatabase): void {
  const batches = recordsOf(database, BATCHES);
  const chunks = recordsOf(database, BATCH_KEYS);
  if (batches.length === 0 && chunks.length === 0) return;
  const committed = new Set(
    batches.filter(({ value }) => (JSON.parse(value) as { state: string }).state === "committed").map(keyOf),
  );
  const version = decodeVersion(database.getBinaryFast(REVISION_KEY)!) + 1;
  for (const { value } of chunks) {
    for (const [partition, keys] of Object.entries(JSON.parse(value) as Record<string, string[]>)) {
      for (const key of keys) settle(database, recordKey(partition, key), committed, version);
    }
  }
  for (const { key } of batches) database.removeSync(recordKey(BATCHES, key));
  for (const { key } of chunks) database.removeSync(recordKey(BATCH_KEYS, key));
  putValue(database, REVISION_KEY, { version, value: "" });
}

function settle(database: LocalDatabase, key: Buffer, committed: ReadonlySet<string>, version: number): void {
  const intent = decodeIntent(database.get(key)?.value ?? "");
  if (intent === undefined) return;
  const value = committed.has(intent.batch) ? intent.next : intent.old;
  if (value === undefined) database.removeSync(key);
  else putValue(database, key, { version, value });
}

/** The intent in a stored text `!<batch> <old length> <+ or -><old><new>`, or undefined if it is a plain value. */
function decodeIntent(text: string): Intent | undefined {
  if (!text.startsWith(INTENT)) return undefined;
  const afterBatch = text.indexOf(" ");
  const afterLength = text.indexOf(" ", afterBatch + 1);
  const length = Number(text.slice(afterBatch + 1, afterLength));
  const start = afterLength + 2;
  const middle = start + Math.max(length, 0);
  return {
    batch: text.slice(INTENT.length, afterBatch),
    old: length === ABSENT ? undefined : text.slice(start, middle),
    next: text[afterLength + 1] === "+" ? text.slice(middle) : undefined,
  };
}

function recordsOf(
  database: LocalDatabase,
  partition: string,
): { readonly key: string; readonly value: string }[] {
  const range = scanRange(partition, { prefix: "", after: undefined, limit: 1 });
  return [...database.getRange(range)].map(({ key, value }) => ({
    key: textKey(partition, key),
    value: value.value,
  }));
}

function keyOf({ key }: { readonly key: string }): string {
  return key;
}
