/** The content of a commit of the stand-in: objects in ranges, ranges in a metarange. */
import { createHash } from "node:crypto";
import { objectsOf, rangesOf } from "../../../src/mirroring/data/tables.ts";
import { messageOf, writeTable } from "./table-writer.ts";

/** Bytes by key: what a store has. */
export type Store = Map<string, Buffer>;

/** An object of a commit. */
export interface Entry {
  readonly address: string;
  readonly size: number;
  /** True for one that lies outside the namespace. */
  readonly isFull?: boolean;
}

/** Objects by path. */
export type Content = ReadonlyMap<string, Entry>;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const FULL = 2;
const RELATIVE = 1;
/** A path whose digest begins with less ends a range, so that a change leaves the ranges around it as they are. */
const ENDS_RANGE = 32;

/** Key of a table in a store. */
export const tableKey = (namespace: string, id: string): string => `${namespace}/_meta/${id}`;

/** Writes the tables of a content into a store; returns the id of the metarange. */
export function writeContent(store: Store, namespace: string, content: Content): string {
  const sorted = [...content].sort(([left], [right]) =>
    Buffer.compare(Buffer.from(left), Buffer.from(right)),
  );
  const ranges: (typeof sorted)[] = [[]];
  for (const one of sorted) {
    ranges.at(-1)?.push(one);
    if ((digest(one[0])[0] ?? 0) < ENDS_RANGE) ranges.push([]);
  }
  const entries = ranges
    .filter((range) => range.length > 0)
    .map((range) => {
      const { id, bytes } = writeTable(
        "ranges",
        range.map(([path, { address, size, isFull }]) => ({
          key: path,
          identity: digest(`${address} ${size}`),
          message: messageOf({ 1: address, 3: size, 6: isFull === true ? FULL : RELATIVE }),
        })),
      );
      store.set(tableKey(namespace, id), bytes);
      const [first = "", last = ""] = [range[0]?.[0], range.at(-1)?.[0]];
      const message = messageOf({ 1: first, 2: last, 3: bytes.length, 4: range.length });
      return { key: last, identity: Buffer.from(id), message };
    });
  const { id, bytes } = writeTable("metaranges", entries);
  store.set(tableKey(namespace, id), bytes);
  return id;
}

/** Objects of tables that were read: each look at an object reads them. */
const READ = new WeakMap<Buffer, readonly (readonly [path: string, entry: Entry])[]>();

function entriesOf(range: Buffer): readonly (readonly [path: string, entry: Entry])[] {
  const known = READ.get(range);
  if (known !== undefined) return known;
  const read = [...objectsOf(range)].map(
    ({ path, address, size, isFull }) => [path.toString(), { address, size, isFull }] as const,
  );
  READ.set(range, read);
  return read;
}

/** The objects of a metarange, as far as the store has its tables; undefined where one is missing or not whole. */
export function readContent(store: Store, namespace: string, metaRange: string): Content | undefined {
  if (metaRange === "") return new Map();
  const table = store.get(tableKey(namespace, metaRange));
  if (table === undefined) return undefined;
  const found = new Map<string, Entry>();
  try {
    for (const { id } of rangesOf(table)) {
      const range = store.get(tableKey(namespace, id));
      if (range === undefined) return undefined;
      for (const [path, entry] of entriesOf(range)) found.set(path, entry);
    }
  } catch {
    return undefined;
  }
  return found;
}
