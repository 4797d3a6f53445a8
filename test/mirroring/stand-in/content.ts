/** The content of a commit of the stand-in: objects in ranges, ranges in a metarange. */
import { createHash } from "node:crypto";
import { objectsOf, rangesOf } from "../../../src/mirroring/data/tables.ts";
import { pathBytes, pathOf } from "./path-bytes.ts";
import { messageOf, type NewEntry, writeTable } from "./table-writer.ts";

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
  const sorted = [...content].sort(([left], [right]) => Buffer.compare(pathBytes(left), pathBytes(right)));
  const ranges: (typeof sorted)[] = [[]];
  for (const one of sorted) {
    ranges.at(-1)?.push(one);
    if ((digest(one[0])[0] ?? 0) < ENDS_RANGE) ranges.push([]);
  }
  const written = ranges
    .filter((range) => range.length > 0)
    .map((range) => writeRange(store, namespace, range));
  return writeMetaRange(store, namespace, written);
}

/** Writes the table of a range, whose objects are in the order of their paths; returns its entry of a metarange. */
export function writeRange(
  store: Store,
  namespace: string,
  range: readonly (readonly [path: string, entry: Entry])[],
): NewEntry {
  const { id, bytes } = writeTable(
    "ranges",
    range.map(([path, { address, size, isFull }]) => ({
      key: pathBytes(path),
      identity: digest(`${address} ${size}`),
      message: messageOf({ 1: address, 3: size, 6: isFull === true ? FULL : RELATIVE }),
    })),
  );
  store.set(tableKey(namespace, id), bytes);
  const first = pathBytes(range[0]?.[0] ?? "");
  const last = pathBytes(range.at(-1)?.[0] ?? "");
  const message = messageOf({ 1: first, 2: last, 3: bytes.length, 4: range.length });
  return { key: last, identity: Buffer.from(id), message };
}

/** Writes the table of a metarange; returns its id. */
export function writeMetaRange(store: Store, namespace: string, ranges: readonly NewEntry[]): string {
  const { id, bytes } = writeTable("metaranges", ranges);
  store.set(tableKey(namespace, id), bytes);
  return id;
}

/** Tables that were read a moment ago: each look at an object reads them. */
const MOST_READ = 64;
const READ = new Map<Buffer, ReadonlyMap<string, Entry>>();

function entriesOf(range: Buffer): ReadonlyMap<string, Entry> {
  const known = READ.get(range);
  if (known !== undefined) return known;
  const read = new Map(
    [...objectsOf(range)].map(
      ({ path, address, size, isFull }) => [pathOf(path), { address, size, isFull }] as const,
    ),
  );
  const [oldest] = READ.size < MOST_READ ? [] : READ.keys();
  if (oldest !== undefined) READ.delete(oldest);
  READ.set(range, read);
  return read;
}

/** The object at a path of a metarange; `no data` where the store lacks a table that tells, or has a part of it. */
export function findEntry(
  store: Store,
  namespace: string,
  metaRange: string,
  path: string,
): Entry | "no data" | undefined {
  if (metaRange === "") return undefined;
  const table = store.get(tableKey(namespace, metaRange));
  if (table === undefined) return "no data";
  const name = pathBytes(path);
  try {
    const range = rangesOf(table).find(({ last }) => Buffer.compare(name, last) <= 0);
    if (range === undefined || Buffer.compare(name, range.first) < 0) return undefined;
    const objects = store.get(tableKey(namespace, range.id));
    return objects === undefined ? "no data" : entriesOf(objects).get(path);
  } catch {
    return "no data";
  }
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
