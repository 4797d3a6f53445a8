/** Bodies of entries in an engine: in the item or, where they are larger, in parts (journal.md §2.3). */

import { decodeBody, decodeHead, digestOf, type EntryHead, newId, type PartsOf } from "../store/log-entry.ts";
import type { EntryWrites } from "../store/port.ts";
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
  if (digestOf(bytes) !== head.digest) {
    throw new NothingDone(`entry ${head.revision} of the log is damaged: restore the database from a backup`);
  }
  return decodeBody(bytes);
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
