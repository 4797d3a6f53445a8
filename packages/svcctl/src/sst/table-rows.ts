/** Entries of a data server's tables as rows: metaranges, and ranges of objects, commits, branches and tags. */

import { contentOf } from "@svc-authorizer/commands/sstable/entry-content.ts";
import type { ProtoFields } from "@svc-authorizer/commands/sstable/proto-fields.ts";
import type { Table, TableEntry } from "@svc-authorizer/commands/sstable/table-reader.ts";

/** The form in which the entries of a kind of table are shown. */
interface RowKind {
  readonly headings: readonly string[];
  /** The cells, in the order of the headings. */
  readonly cells: (entry: TableEntry) => readonly (string | number)[];
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
