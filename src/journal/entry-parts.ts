/** Bodies of entries in an engine: in the item or, where they are larger, in parts (journal.md §2.3). */

import { createHash } from "node:crypto";
import { Turns } from "../schedule/turns.ts";
import { findWrite, wholeLines } from "../store/entry-lines.ts";
import { decodeBody, decodeHead, digestOf, type EntryHead, newId, type PartsOf } from "../store/log-entry.ts";
import type { EntryWrites, KeyWrite, RecordName } from "../store/port.ts";
import { type Engine, type ItemName, NothingDone, partName } from "./engine.ts";

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
  if (digestOf(bytes) !== head.digest) throw damaged(head);
  return decodeBody(bytes);
}

/**
 * Returns what an item wrote under a key, reading the body part by part; undefined where it wrote nothing there, or a
 * part is gone.
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
  let isWhole = true;
  let found: KeyWrite | undefined;
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (let index = 0; index < (head.parts?.count ?? 1); index++) {
      const piece = await readPart(engine, head, item, index);
      isWhole = piece !== undefined;
      if (piece === undefined) return;
      hash.update(piece);
      yield piece;
      if (turns.spent) await turns.yield();
    }
  };
  for await (const lines of wholeLines(pieces())) found ??= findWrite(lines, name);
  if (!isWhole) return undefined;
  if (hash.digest("base64url") !== head.digest) throw damaged(head);
  return found;
}

/** The body of an item, or a part of it. */
async function readPart(
  engine: Engine,
  { parts }: EntryHead,
  item: Buffer,
  index: number,
): Promise<Buffer | undefined> {
  if (parts === undefined) return item.subarray(item.indexOf(10) + 1);
  return engine.read(partName(parts.base, parts.id, index));
}

function damaged({ revision }: EntryHead): NothingDone {
  return new NothingDone(`entry ${revision} of the log is damaged: restore the database from a backup`);
}

/** As much of the body of an item as has its first line; undefined where a part is gone. */
export async function readBodyStart(
  engine: Engine,
  { parts }: EntryHead,
  item: Buffer,
): Promise<Buffer | undefined> {
  if (parts === undefined) return item.subarray(item.indexOf(10) + 1);
  const found: Buffer[] = [];
  for (let index = 0; index < parts.count; index++) {
    const part = await engine.read(partName(parts.base, parts.id, index));
    if (part === undefined) return undefined;
    found.push(part);
    if (part.includes(10)) break;
  }
  return Buffer.concat(found);
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
      for (let index = 0; index < (parts?.count ?? 0); index++) {
        names.push(partName(parts!.base, parts!.id, index));
      }
      at = revision;
    }
  }
  return names;
}
