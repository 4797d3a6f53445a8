/** The counts of a node as pieces that other nodes read: lines of JSON, compressed (spec/decision-log §5.1). */

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { UsageKind, UsageRow } from "./usage-rows.ts";

/** Largest number of bytes of a node's counts when they are read: more is refused. */
const MOST_BYTES = 512 << 20;
const FORMAT = 1;

const compressed = promisify(gzip);
const expanded = promisify(gunzip);

/** The counts of a node, to be told. */
interface TellableUsage {
  /** Unix milliseconds: since when the node counts. */
  readonly began: number;
  /** Unix milliseconds: until then some uses were not counted; undefined where none are known to be missing. */
  readonly missed: number | undefined;
  readonly pages: AsyncIterable<readonly UsageRow[]>;
}

/** The counts of another node. */
export interface DecodedUsage {
  readonly began: number;
  /** As of those that are told. */
  readonly missed: number | undefined;
  readonly rows: readonly UsageRow[];
}

type Line = readonly [UsageKind, string, string, string, number, number];

/** Returns the pieces, each of at most so many bytes. */
export async function encodeUsage(
  { began, missed, pages }: TellableUsage,
  pieceBytes: number,
): Promise<readonly Buffer[]> {
  const texts = [`${JSON.stringify({ format: FORMAT, began, missed })}\n`];
  for await (const rows of pages) {
    const lines = rows.map(({ kind, name, part, action, count, last }) =>
      JSON.stringify([kind, name, part, action, count, last] satisfies Line),
    );
    texts.push(`${lines.join("\n")}\n`);
  }
  const whole = await compressed(Buffer.concat(texts.map((text) => Buffer.from(text))));
  const pieces: Buffer[] = [];
  for (let from = 0; from < whole.length; from += pieceBytes) {
    pieces.push(whole.subarray(from, from + pieceBytes));
  }
  return pieces;
}

/** Reads pieces. Rejects with the error of the decompression or of JSON, and for a newer format. */
export async function decodeUsage(pieces: readonly Buffer[]): Promise<DecodedUsage> {
  const text = (await expanded(Buffer.concat(pieces), { maxOutputLength: MOST_BYTES })).toString("utf8");
  const [head = "{}", ...lines] = text.split("\n");
  const {
    format,
    began = 0,
    missed,
  } = parseJsonText(head) as {
    format?: number;
    began?: number;
    missed?: number;
  };
  if (format !== FORMAT) throw new Error(`it tells in format ${format}, and this program knows ${FORMAT}`);
  const rows: UsageRow[] = [];
  for (const line of lines) {
    if (line === "") continue;
    const [kind, name, part, action, count, last] = parseJsonText(line) as Line;
    rows.push({ kind, name, part, action, count, last });
  }
  return { began, missed, rows };
}
