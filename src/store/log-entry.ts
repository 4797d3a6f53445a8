/**
 * The encoding of an entry (spec/journal §1). An item is one line of JSON, the head, and the body; a body that is larger
 * than an item may be is stored in parts, which the head names. The body has a line for each write, so that one of any
 * size is written and read in turns.
 */

import { createHash, randomBytes } from "node:crypto";
import { concatInTurns } from "../schedule/concat-in-turns.ts";
import { Turns } from "../schedule/turns.ts";
import type { Change, EntryWrites, Listed, RecordName, RecordPut, UseCase } from "./port.ts";

/**
 * Number of this encoding. 2 is encoded as 1 is: it says that every process of the log knows positions that name an entry
 * (spec/journal §6.4).
 */
export const LOG_FORMAT = 2;

/** The format from which on ids of events name the entry. */
export const NAMES_ENTRIES = 2;

/** The place of an entry's body that is not in the item. */
export interface PartsOf {
  /** Revision at which their writing began. */
  readonly base: number;
  readonly id: string;
  readonly count: number;
  /** In a local store, the number of the stage that wrote them. */
  readonly stage?: number;
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

/** The first line of a body. */
interface FirstLine {
  readonly change?: Change;
  readonly useCases?: readonly UseCase[];
}

/** Characters of lines that are encoded at once. */
const CHUNK = 64 * 1_024;

/** A new id of an entry, part or node: 128 random bits. */
export function newId(): string {
  return randomBytes(16).toString("base64url");
}

/** The later of two times in RFC 3339. */
export function laterTime(a: string, b: string): string {
  return a > b ? a : b;
}

/** The line that begins a body, without its end. */
export function encodeFirstLine({
  change,
  useCases,
}: {
  readonly [Member in keyof FirstLine]: FirstLine[Member] | undefined;
}): string {
  return JSON.stringify({ ...(change && { change }), ...(useCases?.length && { useCases }) });
}

/** The body in bytes. */
export async function encodeBody({
  change,
  useCases,
  put,
  delete: deleted,
}: EntryWrites): Promise<EncodedBody> {
  const turns = new Turns();
  const hash = createHash("sha256");
  const pieces: Buffer[] = [];
  let lines = `${encodeFirstLine({ change, useCases })}\n`;
  const flush = async (): Promise<void> => {
    const piece = Buffer.from(lines);
    hash.update(piece);
    pieces.push(piece);
    lines = "";
    if (turns.spent) await turns.yield();
  };
  for (const { partition, key, value } of put) {
    lines += `${JSON.stringify([partition, key, value])}\n`;
    if (lines.length >= CHUNK) await flush();
  }
  for (const { partition, key } of deleted) {
    lines += `${JSON.stringify([partition, key])}\n`;
    if (lines.length >= CHUNK) await flush();
  }
  if (lines !== "") await flush();
  return { bytes: await concatInTurns(pieces), digest: hash.digest("base64url") };
}

/**
 * Decodes the body of an entry. The records that a large one puts are decoded as they are taken: they would be several times
 * what its bytes are. Other work goes on between.
 */
export async function decodeBody(bytes: Buffer): Promise<EntryWrites> {
  const turns = new Turns();
  const touched = decodeFirstLine(bytes);
  const start = bytes.indexOf(LINE_END) + 1;
  const isLarge = bytes.length > CHUNK;
  const put: RecordPut[] = [];
  const deleted: RecordName[] = [];
  let length = 0;
  // What was staged puts and removes in any order.
  for (const line of linesOf(bytes, start)) {
    const [partition, key, value] = line;
    if (value === undefined) deleted.push({ partition, key });
    else if (isLarge) length += 1;
    else put.push({ partition, key, value });
    if (turns.spent) await turns.yield();
  }
  return { put: isLarge ? new PutLines(bytes, start, length) : put, delete: deleted, ...touched };
}

const LINE_END = 10;

function* linesOf(bytes: Buffer, first: number): Generator<[partition: string, key: string, value?: string]> {
  for (let start = first; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, start);
    yield JSON.parse(bytes.toString("utf8", start, end)) as [string, string, string?];
    start = end + 1;
  }
}

/** The records that a body puts, decoded as they are taken. */
class PutLines implements Listed<RecordPut> {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #start: number;

  constructor(bytes: Buffer, start: number, length: number) {
    this.length = length;
    this.#bytes = bytes;
    this.#start = start;
  }

  *[Symbol.iterator](): Generator<RecordPut> {
    for (const [partition, key, value] of linesOf(this.#bytes, this.#start)) {
      if (value !== undefined) yield { partition, key, value };
    }
  }
}

/** Decodes lines of writes; `first` is the line that begins the body. */
export function decodeWrites(lines: readonly string[], first?: string): EntryWrites {
  const put: RecordPut[] = [];
  const deleted: RecordName[] = [];
  for (const line of lines) {
    const [partition, key, value] = JSON.parse(line) as [string, string, string?];
    if (value === undefined) deleted.push({ partition, key });
    else put.push({ partition, key, value });
  }
  return { put, delete: deleted, ...(first !== undefined && touchedOf(first)) };
}

/** Returns the touched things of a body from its first line, which alone need be there. */
export function decodeFirstLine(bytes: Buffer): FirstLine {
  return touchedOf(bytes.toString("utf8", 0, bytes.indexOf(LINE_END)));
}

function touchedOf(line: string): FirstLine {
  const { change, useCases } = JSON.parse(line) as FirstLine;
  return { ...(change && { change }), ...(useCases && { useCases }) };
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

/** SHA-256 of a body, base64url. */
export function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url");
}
