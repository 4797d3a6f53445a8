/** Entries of metaranges and ranges. */

import { contentOf } from "@svc-authorizer/commands/sstable/entry-content.ts";
import { openTable } from "@svc-authorizer/commands/sstable/table-reader.ts";
import { Turns } from "../../schedule/turns.ts";

/** A range of a metarange. */
export interface RangeEntry {
  readonly id: string;
  /** First and last path in it, as bytes. */
  readonly first: Buffer;
  readonly last: Buffer;
}

/** An object of a range. */
export interface ObjectEntry {
  readonly path: Buffer;
  /** Digest of what the server knows of it. */
  readonly identity: Buffer;
  /** Bytes. */
  readonly size: number;
  readonly address: string;
  /** True for an address that says where the object is by itself, whatever the repository's namespace. */
  readonly isFull: boolean;
}

/** Fields of the messages in entries. */
const RANGE = { first: 1, last: 2 } as const;
const OBJECT = { address: 1, size: 3, addressType: 6 } as const;
/** Types of addresses; 0 is that of old commits: whatever begins as a URL is full. */
const FULL = 2n;
const RELATIVE = 1n;

/**
 * The ranges of a metarange, in the order of their paths.
 * @throws Error for a table that is damaged or not whole
 */
export function rangesOf(table: Buffer): readonly RangeEntry[] {
  return [...openTable(table).entries()].map((entry) => {
    const { identity, data } = contentOf(entry);
    return {
      id: identity.toString(),
      first: data.bytes(RANGE.first),
      last: data.bytes(RANGE.last),
    };
  });
}

/**
 * The objects of a range, in the order of their paths, read as they are taken.
 * @throws Error while they are taken, for a table that is damaged or not whole
 */
export function* objectsOf(table: Buffer): Generator<ObjectEntry> {
  for (const entry of openTable(table).entries()) {
    const { identity, data } = contentOf(entry);
    const address = data.text(OBJECT.address);
    const type = data.number(OBJECT.addressType);
    yield {
      path: entry.key,
      identity,
      size: Number(data.number(OBJECT.size)),
      address,
      isFull: type === FULL || (type !== RELATIVE && /^[a-z][a-z0-9+.-]*:\/\//i.test(address)),
    };
  }
}

/**
 * Objects that are new or other ones than those of a state before; both in the order of their paths. Other work of the process
 * goes on between.
 * @param nextBefore the objects of the next table of the state before, so that one is held at a time; undefined behind the last
 */
export async function* changedObjects(
  now: Iterable<ObjectEntry>,
  nextBefore: () => Promise<Iterable<ObjectEntry> | undefined>,
): AsyncGenerator<ObjectEntry> {
  const turns = new Turns();
  let table: Iterator<ObjectEntry> | undefined = [][Symbol.iterator]();
  let old: ObjectEntry | undefined;
  const advance = (): boolean => {
    const { done, value } = table?.next() ?? { done: false, value: undefined };
    old = done === true ? undefined : value;
    return done !== true;
  };
  for (const one of now) {
    while (table !== undefined && (old === undefined || Buffer.compare(old.path, one.path) < 0)) {
      if (turns.spent) await turns.yield();
      if (!advance()) table = (await nextBefore())?.[Symbol.iterator]();
    }
    if (turns.spent) await turns.yield();
    const isSame =
      old?.path.equals(one.path) === true && old.identity.equals(one.identity) && old.address === one.address;
    if (!isSame) yield one;
  }
}

/** True for a table whose every block can be read. Other work of the process goes on between. */
export async function isWhole(table: Buffer): Promise<boolean> {
  const turns = new Turns();
  try {
    for (const _ of objectsOf(table)) if (turns.spent) await turns.yield();
    return true;
  } catch {
    return false;
  }
}
