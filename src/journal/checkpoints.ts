/**
 * Checkpoints (spec/journal §4): the whole directory at a revision, in pieces. The marker is created last and makes the
 * pieces known; what is at or below the floor is removed.
 */

import { createHash } from "node:crypto";
import { Turns } from "../schedule/turns.ts";
import { findLine, wholeLines } from "../store/entry-lines.ts";
import { linesInBatches } from "../store/line-batches.ts";
import { newId } from "../store/log-entry.ts";
import type { RecordName, StoredRecord, VersionedRecord } from "../store/port.ts";
import type { EntryId } from "../store/replica.ts";
import {
  checkpointName,
  type Engine,
  type ItemKind,
  type ItemName,
  NothingDone,
  pieceName,
} from "./engine.ts";

/** The description of a checkpoint, stored with it. */
export interface CheckpointMarker {
  readonly revision: number;
  /** Id of its pieces. */
  readonly id: string;
  /** Number of pieces; the first holds the ids of the newest entries, the others records. */
  readonly count: number;
  /** SHA-256 of all pieces in order, base64url. */
  readonly digest: string;
  /** Id and time of the entry of its revision. */
  readonly last: { readonly id: string; readonly at: string };
  /** Id of the first entry. */
  readonly log: string;
  /** Format of the entry of its revision; absent: 1. */
  readonly format?: number;
  readonly bytes: number;
}

/** The data that a checkpoint is written from. */
export interface CheckpointSource {
  readonly revision: number;
  readonly last: CheckpointMarker["last"];
  readonly log: string;
  readonly format?: number;
  readonly recent: readonly EntryId[];
  readonly pages: AsyncIterable<readonly VersionedRecord[]>;
  /** Throws where the engine may have been put back since: to a log that is another one, or without the pieces. */
  readonly assertSame?: () => void;
  /** Throws where the node ends, and does not wait for the rest. */
  readonly assertOpen?: () => void;
}

/** Entries of a part may be named by entries up to this many revisions later. */
export const PART_LIFE = 1_000;
const MOST_LISTED = 1_000;
/** Attempts to read the newest checkpoint, which another one may take the place of meanwhile. */
const MOST_ATTEMPTS = 5;
/** Records of a piece that are decoded together: a piece has up to some MiB of them. */
const RECORDS_AT_ONCE = 500;

/** Writes a checkpoint; undefined where another node has written one of this revision. */
export async function writeCheckpoint(
  engine: Engine,
  source: CheckpointSource,
): Promise<CheckpointMarker | undefined> {
  const { revision, last, log, format } = source;
  const id = newId();
  const hash = createHash("sha256");
  let [count, bytes] = [0, 0];
  for await (const piece of piecesOf(source, engine.budgets.part)) {
    source.assertOpen?.();
    hash.update(piece);
    bytes += piece.length;
    await engine.create(pieceName(revision, id, count++), piece);
  }
  const marker: CheckpointMarker = {
    revision,
    id,
    count,
    digest: hash.digest("base64url"),
    last,
    log,
    ...(format !== undefined && { format }),
    bytes,
  };
  source.assertSame?.();
  if (await engine.create(checkpointName(revision), Buffer.from(JSON.stringify(marker)))) return marker;
  await engine.remove(Array.from({ length: count }, (_, index) => pieceName(revision, id, index)));
  return undefined;
}

async function* piecesOf({ recent, pages }: CheckpointSource, size: number): AsyncGenerator<Buffer> {
  yield Buffer.from(JSON.stringify(recent));
  const turns = new Turns();
  let lines: Buffer[] = [];
  let bytes = 0;
  for await (const page of pages) {
    for (const { partition, key, value, version } of page) {
      const line = Buffer.from(`${JSON.stringify([partition, key, value, version])}\n`);
      if (bytes + line.length > size && bytes > 0) {
        yield Buffer.concat(lines);
        [lines, bytes] = [[], 0];
      }
      // A record larger than a piece is cut; pieces are one text.
      for (let start = 0; start < line.length; start += size) {
        const slice = line.subarray(start, start + size);
        if (start > 0 || slice.length < line.length) {
          yield slice;
        } else {
          lines.push(slice);
          bytes += slice.length;
        }
      }
    }
    if (turns.spent) await turns.yield();
  }
  if (bytes > 0) yield Buffer.concat(lines);
}

/**
 * The newest checkpoint above a revision; undefined where there is none.
 * @throws NothingDone where each that was found was removed before it was read
 */
export async function newestCheckpoint(engine: Engine, above: number): Promise<CheckpointMarker | undefined> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const newest = await engine.newest("checkpoint", Number.MAX_SAFE_INTEGER);
    if (newest === undefined || newest.number <= above) return undefined;
    const marker = await readMarker(engine, newest);
    // One that was removed meanwhile has a newer one in its place.
    if (marker !== undefined) return marker;
  }
  throw new NothingDone(
    "the newest checkpoint of the log was removed again and again while it was looked for",
  );
}

/** The newest checkpoint that is not above a revision; undefined where there is none. */
export async function checkpointAtMost(
  engine: Engine,
  revision: number,
): Promise<CheckpointMarker | undefined> {
  const newest = await engine.newest("checkpoint", revision);
  return newest && readMarker(engine, newest);
}

/** The description of a checkpoint; undefined where there is none of this name. */
export async function readMarker(engine: Engine, name: ItemName): Promise<CheckpointMarker | undefined> {
  const item = await engine.read(name);
  return item && (JSON.parse(item.toString("utf8")) as CheckpointMarker);
}

/** A checkpoint that was removed while it was read, or damaged. */
export class CheckpointGone extends Error {}

/** Ids of the newest entries, from the first piece of a checkpoint. */
export async function readRecentIds(engine: Engine, marker: CheckpointMarker): Promise<readonly EntryId[]> {
  const item = await engine.read(pieceName(marker.revision, marker.id, 0));
  if (item === undefined) throw new CheckpointGone("a piece of the checkpoint is gone");
  return JSON.parse(item.toString("utf8")) as EntryId[];
}

/** The records of a checkpoint. Throws CheckpointGone, at the latest at the end, where it is not whole. */
export async function* readRecords(
  engine: Engine,
  marker: CheckpointMarker,
): AsyncGenerator<readonly VersionedRecord[]> {
  const turns = new Turns();
  for await (const lines of linesInBatches(readPieces(engine, marker), RECORDS_AT_ONCE)) {
    const records: VersionedRecord[] = [];
    for (const line of lines) {
      const [partition, key, value, version] = JSON.parse(line) as [string, string, string, number];
      records.push({ partition, key, value, version });
      if (turns.spent) await turns.yield();
    }
    yield records;
  }
}

/** The record of a checkpoint under one key, without decoding the others. Throws as {@link readRecords}. */
export async function readRecordOf(
  engine: Engine,
  marker: CheckpointMarker,
  name: RecordName,
): Promise<StoredRecord | undefined> {
  let found: StoredRecord | undefined;
  const turns = new Turns();
  for await (const lines of wholeLines(readPieces(engine, marker))) {
    const line = found === undefined ? findLine(lines, name) : undefined;
    if (line !== undefined) found = { value: line[2]!, version: String(line[3]) };
    if (turns.spent) await turns.yield();
  }
  return found;
}

/** The pieces of a checkpoint that hold records. */
async function* readPieces(engine: Engine, marker: CheckpointMarker): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  for (let index = 0; index < marker.count; index++) {
    const piece = await engine.read(pieceName(marker.revision, marker.id, index));
    if (piece === undefined) throw new CheckpointGone("a piece of the checkpoint is gone");
    hash.update(piece);
    if (index > 0) yield piece;
  }
  if (hash.digest("base64url") !== marker.digest) throw new CheckpointGone("the checkpoint is damaged");
}

/**
 * Removes what is no longer needed: everything below the newest checkpoint that is not younger than `keptSince`
 * (RFC 3339), or below the newest of all where the engine cannot hold much more.
 * @param assertSame throws where the engine may have been put back since the work began
 * @returns whether the engine's limit made it remove what should have been kept
 */
export async function trimLog(
  engine: Engine,
  keptSince: string,
  assertSame: () => void = () => {},
): Promise<boolean> {
  const newest = (await engine.isCrowded?.()) === true ? await newestCheckpoint(engine, 0) : undefined;
  const isEarly = newest !== undefined && newest.last.at > keptSince;
  await removeBefore(engine, newest?.revision ?? (await oldEnough(engine, keptSince)), assertSame);
  return isEarly;
}

/** Revision of the newest checkpoint that is not younger than `keptSince`; 0 where there is none. */
async function oldEnough(engine: Engine, keptSince: string): Promise<number> {
  let found = 0;
  for (const name of await engine.list("checkpoint", Number.MAX_SAFE_INTEGER, MOST_LISTED)) {
    const marker = await readMarker(engine, name);
    if (marker === undefined) continue;
    if (marker.last.at > keptSince) break;
    found = marker.revision;
  }
  return found;
}

/**
 * Removes everything that came before a checkpoint, for which it raises the floor first; and what an earlier removal
 * left, since it was broken off or since a slower node wrote there afterwards.
 * @param revision that of the checkpoint; 0: only what was left
 * @param assertSame throws where the engine may have been put back since the work began
 */
export async function removeBefore(
  engine: Engine,
  revision: number,
  assertSame: () => void = () => {},
): Promise<void> {
  const removeUpTo = async (kind: ItemKind, upTo: number): Promise<void> => {
    for (;;) {
      const names = await engine.list(kind, upTo, MOST_LISTED);
      assertSame();
      if (names.length > 0) await engine.remove(names);
      if (names.length < MOST_LISTED) return;
    }
  };
  assertSame();
  if (revision > 0) await engine.raiseFloor(revision);
  const floor = await engine.floor();
  if (floor === 0) return;
  await removeUpTo("entry", floor);
  await removeUpTo("part", floor - PART_LIFE);
  await removeUpTo("checkpoint", floor - 1);
  await removeUpTo("piece", floor - 1);
}
