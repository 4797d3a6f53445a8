/**
 * Reads of many records in parts, between which other work runs (spec/security §5.3): a policy has up to 100 KiB, a user
 * or a resource 64 KiB of attributes, and what documents said of one as much.
 */

import { Turns } from "../../schedule/turns.ts";
import type { ScannedRecord, ScanOptions, Snapshot, StoredRecord } from "../../store/port.ts";
import type { Partition } from "../records/layout.ts";

/** Partitions whose records may be long. */
const LONG: ReadonlySet<Partition> = new Set(["policy", "user", "resource", "applied"]);
/** Records of the first part. */
const FIRST = 20;
/** Characters that a part has, if the records are as long as those before. */
const PART_TEXT = 1_024 * 1_024;

/** As `scan` of a snapshot. */
export async function scanInParts(
  snapshot: Pick<Snapshot, "scan">,
  partition: Partition,
  options: ScanOptions,
): Promise<readonly ScannedRecord[]> {
  const { limit, ...range } = options;
  if (!LONG.has(partition) || limit <= FIRST) return snapshot.scan(partition, options);
  const turns = new Turns();
  const found: ScannedRecord[] = [];
  let { after } = range;
  for (let amount = FIRST; ; ) {
    const most = Math.min(amount, limit - found.length);
    const part = await snapshot.scan(partition, {
      ...range,
      ...(after !== undefined && { after }),
      limit: most,
    });
    for (const record of part) found.push(record);
    if (part.length < most || found.length === limit) return found;
    after = part.at(-1)?.key;
    amount = nextAmount(part);
    if (turns.spent) await turns.yield();
  }
}

/** Records of a page whose length depends on theirs. */
const MOST_OF_PAGE = 500;
/** The same of records that may be long: those that follow short ones may all be long. */
const MOST_LONG = 40;
/** Characters from which on a page has no further part. */
const PAGE_TEXT = 256 * 1_024;

/** Some records of a partition behind a key: a bounded part of what the partition has. None at the end. */
export async function scanSome(
  snapshot: Pick<Snapshot, "scan">,
  partition: Partition,
  range: Pick<ScanOptions, "after">,
): Promise<readonly ScannedRecord[]> {
  if (!LONG.has(partition)) return snapshot.scan(partition, { ...range, limit: MOST_OF_PAGE });
  const found: ScannedRecord[] = [];
  let { after } = range;
  let text = 0;
  while (text < PAGE_TEXT && found.length < MOST_OF_PAGE) {
    const limit = found.length === 0 ? FIRST : MOST_LONG;
    const part = await snapshot.scan(partition, { ...(after !== undefined && { after }), limit });
    for (const record of part) {
      found.push(record);
      text += record.value.length;
    }
    if (part.length < limit) break;
    after = part.at(-1)?.key;
  }
  return found;
}

/** As `getMany` of a snapshot. */
export async function getInParts(
  snapshot: Pick<Snapshot, "getMany">,
  partition: Partition,
  keys: readonly string[],
): Promise<readonly (StoredRecord | undefined)[]> {
  if (!LONG.has(partition) || keys.length <= FIRST) return snapshot.getMany(partition, keys);
  const turns = new Turns();
  const found: (StoredRecord | undefined)[] = [];
  for (let amount = FIRST; found.length < keys.length; ) {
    const part = await snapshot.getMany(partition, keys.slice(found.length, found.length + amount));
    for (const record of part) found.push(record);
    amount = nextAmount(part);
    if (turns.spent) await turns.yield();
  }
  return found;
}

/** Characters that are decoded between two looks at the clock, with as many for each record besides. */
const LOOK_TEXT = 8 * 1_024;
const PER_RECORD = 256;

/** Decodes records. */
export async function mapInTurns<T extends { readonly value: string } | undefined, R>(
  records: readonly T[],
  decode: (record: T) => R,
): Promise<R[]> {
  const turns = new Turns();
  const decoded: R[] = [];
  let text = 0;
  for (const record of records) {
    decoded.push(decode(record));
    text += PER_RECORD + (record?.value.length ?? 0);
    if (text < LOOK_TEXT) continue;
    text = 0;
    if (turns.spent) await turns.yield();
  }
  return decoded;
}

function nextAmount(part: readonly (StoredRecord | undefined)[]): number {
  let text = part.length;
  for (const record of part) text += record?.value.length ?? 0;
  return Math.max(FIRST, Math.floor((part.length * PART_TEXT) / text));
}
