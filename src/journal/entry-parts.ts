/** Bodies of entries in an engine: in the item or, where they are larger, in parts (spec/journal §2.3). */

import { createHash, type Hash } from "node:crypto";
import { Turns } from "../schedule/turns.ts";
import { findWrite, wholeLines } from "../store/entry-lines.ts";
import { linesInBatches } from "../store/line-batches.ts";
import {
  decodeBody,
  decodeHead,
  decodeWrites,
  type EntryHead,
  newId,
  type PartsOf,
} from "../store/log-entry.ts";
import type { EntryWrites, KeyWrite, RecordName } from "../store/port.ts";
import { CheckpointGone } from "./checkpoints.ts";
import { type Engine, type ItemName, NothingDone, partName } from "./engine.ts";

/** Writes of a body that are decoded together. */
const WRITES_AT_ONCE = 200;

/** Stores a body in parts. */
export async function writeParts(engine: Engine, body: Buffer, base: number): Promise<PartsOf> {
  const size = engine.budgets.part;
  const parts = { base, id: newId(), count: Math.ceil(body.length / size) };
  for (const [index, name] of partNames(parts).entries()) {
    await engine.create(name, body.subarray(index * size, (index + 1) * size));
  }
  return parts;
}

/** The names of the parts of a body, in order. */
function partNames({ base, id, count }: PartsOf): ItemName[] {
  return Array.from({ length: count }, (_, index) => partName(base, id, index));
}

/** The pieces of the body of an item, in order; the last one is undefined where a part is gone. */
async function* piecesOf(
  engine: Engine,
  { parts }: EntryHead,
  item: Buffer,
): AsyncGenerator<Buffer | undefined> {
  if (parts === undefined) {
    yield item.subarray(item.indexOf(10) + 1);
    return;
  }
  for (const name of partNames(parts)) {
    const part = await engine.read(name);
    yield part;
    if (part === undefined) return;
  }
}

/**
 * Joins pieces up to one that is enough; undefined where one is gone.
 * @param room bytes that are expected at most: pieces are put where they belong as they come, and are not held twice
 */
async function joined(
  pieces: AsyncIterable<Buffer | undefined>,
  room: number,
  isEnough: (piece: Buffer) => boolean = () => false,
): Promise<Buffer | undefined> {
  let found: Buffer | undefined;
  let size = 0;
  for await (const piece of pieces) {
    if (piece === undefined) return undefined;
    // Most bodies are one piece.
    found ??= piece;
    const end = size + piece.length;
    if (end > found.length) {
      // Doubled where parts are larger than this program writes them.
      const larger = Buffer.allocUnsafeSlow(Math.max(room, end, found === piece ? 0 : 2 * found.length));
      found.copy(larger, 0, 0, size);
      found = larger;
    }
    if (size > 0) piece.copy(found, size);
    size = end;
    if (isEnough(piece)) break;
  }
  return found?.subarray(0, size) ?? Buffer.alloc(0);
}

async function* hashed(
  pieces: AsyncIterable<Buffer | undefined>,
  hash: Hash,
): AsyncGenerator<Buffer | undefined> {
  for await (const piece of pieces) {
    if (piece !== undefined) hash.update(piece);
    yield piece;
  }
}

/** As {@link hashed}, of an item. Throws CheckpointGone where a part is gone. */
async function* wholePieces(
  engine: Engine,
  head: EntryHead,
  item: Buffer,
  hash: Hash,
): AsyncGenerator<Buffer> {
  for await (const piece of hashed(piecesOf(engine, head, item), hash)) {
    if (piece === undefined) throw new CheckpointGone(`a part of entry ${head.revision} is gone`);
    yield piece;
  }
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
  // Piece by piece: the whole of a large body would hold up others.
  const hash = createHash("sha256");
  const room = (head.parts?.count ?? 0) * engine.budgets.part;
  const bytes = await joined(hashed(piecesOf(engine, head, item), hash), room);
  if (bytes === undefined) return undefined;
  if (hash.digest("base64url") !== head.digest) throw damaged(head);
  return decodeBody(bytes);
}

/**
 * The body of an item in pieces, the first of which says what it touched: of one in parts, a part is held at a time.
 * @throws CheckpointGone where a part is gone
 * @throws NothingDone at the end, where it is not what its digest says
 */
export async function* bodyInPieces(
  engine: Engine,
  head: EntryHead,
  item: Buffer,
): AsyncGenerator<EntryWrites> {
  const hash = createHash("sha256");
  const pieces = wholePieces(engine, head, item, hash);
  let isFirst = true;
  for await (const lines of linesInBatches(pieces, WRITES_AT_ONCE)) {
    yield isFirst ? decodeWrites(lines.slice(1), lines[0]) : decodeWrites(lines);
    isFirst = false;
  }
  if (hash.digest("base64url") !== head.digest) throw damaged(head);
}

/**
 * Returns what an item wrote under a key, reading the body part by part; undefined where it wrote nothing there.
 * @throws CheckpointGone where a part is gone
 * @throws NothingDone where the body is not what its digest says
 */
export async function readWriteOf(
  engine: Engine,
  head: EntryHead,
  item: Buffer,
  name: RecordName,
): Promise<KeyWrite | undefined> {
  const turns = new Turns();
  const hash = createHash("sha256");
  let found: KeyWrite | undefined;
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of wholePieces(engine, head, item, hash)) {
      yield piece;
      if (turns.spent) await turns.yield();
    }
  };
  for await (const lines of wholeLines(pieces())) found ??= findWrite(lines, name);
  if (hash.digest("base64url") !== head.digest) throw damaged(head);
  return found;
}

function damaged({ revision }: EntryHead): NothingDone {
  return new NothingDone(`entry ${revision} of the log is damaged: restore the database from a backup`);
}

/** As much of the body of an item as has its first line; undefined where a part is gone. */
export function readBodyStart(engine: Engine, head: EntryHead, item: Buffer): Promise<Buffer | undefined> {
  return joined(piecesOf(engine, head, item), 0, (piece) => piece.includes(10));
}

const PAGE = 100;

/** Returns the names of the parts that entries after one revision and up to another name. */
export async function namedParts(engine: Engine, after: number, upTo: number): Promise<readonly ItemName[]> {
  const names: ItemName[] = [];
  for (let at = after; at < upTo; ) {
    const { entries } = await engine.entries(at, Math.min(PAGE, upTo - at));
    if (entries.length === 0) return names;
    for (const { revision, item } of entries) {
      const { parts } = decodeHead(item);
      if (parts !== undefined) names.push(...partNames(parts));
      at = revision;
    }
  }
  return names;
}
