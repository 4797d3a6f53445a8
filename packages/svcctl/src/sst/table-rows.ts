/** Entries of a data server's tables as rows: metaranges, and ranges of objects, commits, branches and tags. */

import { ProtoFields } from "./proto-fields.ts";
import type { Table, TableEntry } from "./table-reader.ts";

/** The form in which the entries of a kind of table are shown. */
interface RowKind {
  readonly headings: readonly string[];
  /** The cells, in the order of the headings. */
  readonly cells: (entry: TableEntry) => readonly (string | number)[];
}

/** Content of an entry beside its key. */
interface Value {
  readonly identity: Buffer;
  readonly data: ProtoFields;
}

/**
 * The kind of a table.
 * @throws Error for a table that no data server wrote
 */
export function rowKindOf({ properties }: Table): RowKind {
  const type = properties.get("type");
  if (type === undefined) throw new Error("could not determine sstable file type");
  if (type === "metaranges") return METARANGE;
  if (type !== "ranges") throw new Error(`unknown sstable file type: ${type}`);
  return ENTITIES.get(properties.get("entity") ?? "") ?? OBJECT;
}

const METARANGE: RowKind = {
  headings: ["range_id", "min_key", "max_key", "count", "estimated_size"],
  cells: (entry) => {
    const { identity, data } = contentOf(entry);
    const key = (number: number): string => data.text(number);
    return [identity.toString("utf8"), key(1), key(2), String(data.number(4)), String(data.number(3))];
  },
};

const OBJECT: RowKind = {
  headings: ["path", "identity", "size", "etag", "last_modified", "address", "metadata"],
  cells: (entry) => {
    const { identity, data } = contentOf(entry);
    return [
      entry.key.toString("utf8"),
      identity.toString("hex"),
      String(data.number(3)),
      data.text(4),
      timeText(data.message(2)),
      data.text(1),
      mapText(data.map(5)),
    ];
  },
};

const COMMIT: RowKind = {
  headings: [
    "commit ID",
    "committer",
    "message",
    "creation date",
    "metadata",
    "parents",
    "metarange ID",
    "version",
    "generation",
  ],
  cells: (entry) => {
    const { data } = contentOf(entry);
    const metadata = [...data.map(6)].sort(([left], [right]) => (left < right ? -1 : 1));
    return [
      entry.key.toString("utf8"),
      data.text(2),
      data.text(3),
      secondsOf(data.message(4))
        .toISOString()
        .replace(/\.\d+Z$/, "Z"),
      JSON.stringify(Object.fromEntries(metadata)),
      JSON.stringify(data.texts(7)),
      data.text(5),
      Number(data.number(8)),
      Number(data.number(9)),
    ];
  },
};

const named = (heading: string): RowKind => ({
  headings: [heading, "commit ID"],
  cells: (entry) => {
    const { data } = contentOf(entry);
    return [data.text(1), data.text(2)];
  },
});

const ENTITIES: ReadonlyMap<string, RowKind> = new Map([
  ["commit", COMMIT],
  ["branch", named("branch ID")],
  ["tag", named("tag ID")],
]);

function contentOf({ value }: TableEntry): Value {
  const identity = lengthAndBytes(value, 0);
  const data = lengthAndBytes(value, identity.next);
  return { identity: identity.bytes, data: new ProtoFields(data.bytes) };
}

/** Bytes behind their length, which is a varint whose lowest bit is the sign. */
function lengthAndBytes(value: Buffer, at: number): { readonly bytes: Buffer; readonly next: number } {
  let length = 0;
  for (let index = 0; index < 6; index += 1) {
    const byte = value[at + index] ?? 0;
    length += (byte & 0x7f) * 2 ** (7 * index);
    if (byte >= 0x80) continue;
    const start = at + index + 1;
    const end = start + length / 2;
    if (length % 2 !== 0 || end > value.length) break;
    return { bytes: value.subarray(start, end), next: end };
  }
  throw new Error("a value of the table is damaged");
}

function secondsOf(timestamp: ProtoFields | undefined): Date {
  return new Date(Number(timestamp?.number(1) ?? 0n) * 1000);
}

/** `2026-01-05 09:00:00.12 +0000 UTC`. */
function timeText(timestamp: ProtoFields | undefined): string {
  const nanos = String(Number(timestamp?.number(2) ?? 0n))
    .padStart(9, "0")
    .replace(/0+$/, "");
  const text = secondsOf(timestamp)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "");
  return `${text}${nanos === "" ? "" : `.${nanos}`} +0000 UTC`;
}

/** `map[a:1 b:2]`. */
function mapText(map: ReadonlyMap<string, string>): string {
  const entries = [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  return `map[${entries.map(([key, value]) => `${key}:${value}`).join(" ")}]`;
}
