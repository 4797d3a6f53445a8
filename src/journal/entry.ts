/**
 * The encoding of an entry (journal.md §1). An item is one line of JSON, the head, and the body; a body that is larger
 * than an item may be is stored in parts, which the head names. The body has a line for each write, so that one of any
 * size is written and read in turns.
 */

import { createHash, randomBytes } from "node:crypto";
import { Turns } from "../schedule/turns.ts";
import type { Change, RecordName, RecordPut } from "../store/port.ts";
import type { EntryWrites } from "../store/replica.ts";
import { type Engine, NothingDone, partName } from "./engine.ts";

/** Number of this encoding. */
export const LOG_FORMAT = 1;

/** The place of an entry's body that is not in the item. */
export interface PartsOf {
  /** Revision at which their writing began. */
  readonly base: number;
  readonly id: string;
  readonly count: number;
}

/** The head of an entry: everything but what it writes. */
export interface EntryHead {
  readonly revision: number;
  /** Unique; made by the writer for each attempt. */
  readonly id: string;
  /** Id of the entry before; "" for the first. */
  readonly prev: string;
  readonly format: number;
  /** RFC 3339; never before that of the entry before. */
  readonly at: string;
  /** Id of the process that wrote it. */
  readonly node: string;
  /** True: other nodes hold back until the next entry of this node. */
  readonly turn?: true;
  /** SHA-256 of the body, base64url. */
  readonly digest: string;
  readonly parts?: PartsOf;
}

/** A body in bytes. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly digest: string;
}

const CHUNK = 500;

/** A new id of an entry, part or node: 128 random bits. */
export function newId(): string {
  return randomBytes(16).toString("base64url");
}

/** The body in bytes. */
export async function encodeBody({ change, put, delete: deleted }: EntryWrites): Promise<EncodedBody> {
  const turns = new Turns();
  const pieces: Buffer[] = [Buffer.from(`${JSON.stringify(change === undefined ? {} : { change })}\n`)];
  let lines: string[] = [];
  const flush = async (): Promise<void> => {
    pieces.push(Buffer.from(lines.join("")));
    lines = [];
    if (turns.spent) await turns.yield();
  };
  for (const { partition, key, value } of put) {
    lines.push(`${JSON.stringify([partition, key, value])}\n`);
    if (lines.length === CHUNK) await flush();
  }
  for (const { partition, key } of deleted) {
    lines.push(`${JSON.stringify([partition, key])}\n`);
    if (lines.length === CHUNK) await flush();
  }
  if (lines.length > 0) await flush();
  const bytes = Buffer.concat(pieces);
  return { bytes, digest: digestOf(bytes) };
}

/** Decodes the body of an entry. */
export async function decodeBody(bytes: Buffer): Promise<EntryWrites> {
  const turns = new Turns();
  const put: RecordPut[] = [];
  const deleted: RecordName[] = [];
  const firstEnd = bytes.indexOf(10);
  const { change } = JSON.parse(bytes.toString("utf8", 0, firstEnd)) as { change?: Change };
  for (let start = firstEnd + 1; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    const [partition, key, value] = JSON.parse(bytes.toString("utf8", start, end)) as [
      string,
      string,
      string?,
    ];
    if (value === undefined) deleted.push({ partition, key });
    else put.push({ partition, key, value });
    start = end + 1;
    if (turns.spent) await turns.yield();
  }
  return { put, delete: deleted, ...(change !== undefined && { change }) };
}

/** Longest head: room that a body in the same item leaves for it. */
export const HEAD_BYTES = 1_024;

/** An entry as an item; `body` is given where it is not in parts. */
export function encodeItem(head: EntryHead, body: Buffer | undefined): Buffer {
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  return body === undefined ? line : Buffer.concat([line, body]);
}

/** The head of an item. Throws where it is none. */
export function decodeHead(item: Buffer): EntryHead {
  return JSON.parse(item.toString("utf8", 0, item.indexOf(10))) as EntryHead;
}

/** Stores a body in parts. */
export async function writeParts(engine: Engine, body: Buffer, base: number): Promise<PartsOf> {
  const id = newId();
  const size = engine.budgets.part;
  const count = Math.ceil(body.length / size);
  for (let index = 0; index < count; index++) {
    await engine.create(partName(base, id, index), body.subarray(index * size, (index + 1) * size));
  }
  return { base, id, count };
}

/**
 * The body of an item, read from its parts where it has some; undefined where a part is gone.
 * @throws NothingDone where it is not what its digest says
 */
export async function readBody(
  engine: Engine,
  head: EntryHead,
  item: Buffer,
): Promise<EntryWrites | undefined> {
  let bytes = item.subarray(item.indexOf(10) + 1);
  if (head.parts !== undefined) {
    const { base, id, count } = head.parts;
    const parts: Buffer[] = [];
    for (let index = 0; index < count; index++) {
      const part = await engine.read(partName(base, id, index));
      if (part === undefined) return undefined;
      parts.push(part);
    }
    bytes = Buffer.concat(parts);
  }
  if (digestOf(bytes) !== head.digest) {
    throw new NothingDone(`entry ${head.revision} of the log is damaged: restore the database from a backup`);
  }
  return decodeBody(bytes);
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url");
}
