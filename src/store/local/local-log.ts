/**
 * The log of the local store (spec/journal §4), in the database that has the state. Each entry stands with what it
 * replaced, so that every state that is kept can be read from the newest one, without copies of the whole.
 */

import { keysAbout, mergeNewest, thingKeys } from "../about-index.ts";
import { committedChange } from "../committed-change.ts";
import {
  decodeBody,
  decodeFirstLine,
  decodeHead,
  type EncodedBody,
  type EntryHead,
  encodeItem,
  LOG_FORMAT,
  laterTime,
  newId,
  type PartsOf,
} from "../log-entry.ts";
import type { Replaced } from "../past-snapshot.ts";
import type { CommittedChange, EntryWrites, Thing, UseCase } from "../port.ts";
import type { EntryName } from "../replica.ts";
import { putValue } from "./database.ts";
import { aboutKey, type LogItem, logKey, REVISION_KEY, revisionOfAbout } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { intact, type ReadOptions, recordAt } from "./read-record.ts";

/** The position of a log: its newest entry and its floor. */
export interface LogPosition {
  readonly revision: number;
  /** Id of the newest entry. */
  readonly id: string;
  /** Time of the newest entry, RFC 3339. */
  readonly at: string;
  /** Id of the first entry. */
  readonly log: string;
  /** Entries after this revision are kept. */
  readonly floor: number;
  /** The position that a copy had before another one replaced it. */
  readonly was?: LogPosition;
}

/** A log without entries. */
export const EMPTY_LOG: LogPosition = { revision: 0, id: "", at: "", log: "", floor: 0 };

/** Bytes of a body that stand in one item; what an entry replaced is cut likewise. */
export const PART_BYTES = 256 * 1024;
/** Entries that are removed with a new one, at most. */
const MOST_TRIMMED = 4;

/** The parts of an entry that are known before its number. */
export interface NewEntry {
  readonly body: EncodedBody;
  readonly useCases: readonly UseCase[];
  readonly node: string;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Returns the position of the log; undefined for a database without one. */
export function readPosition(database: LocalDatabase, options: ReadOptions = {}): LogPosition | undefined {
  const record = recordAt(database, REVISION_KEY, options);
  if (record === undefined) return undefined;
  const { id, at, log, floor, was } = JSON.parse(record.value || "{}") as Partial<LogPosition>;
  const revision = Number(record.version);
  const position = { revision, id: id ?? "", at: at ?? "", log: log ?? "", floor: floor ?? 0 };
  return was === undefined ? position : { ...position, was };
}

/** Writes the position of the log. */
export function putPosition(database: LocalDatabase, { revision, ...rest }: LogPosition): void {
  putValue(database, REVISION_KEY, { version: revision, value: JSON.stringify(rest) });
}

/** The name of the entry that follows. */
export function nextName(
  { revision, at }: LogPosition,
  { now, node }: Pick<NewEntry, "now" | "node">,
): EntryName {
  const time = laterTime(new Date(now).toISOString(), at);
  return { revision: revision + 1, id: newId(), at: time, node };
}

/** The body of an entry to be added: its bytes, or the parts in which it is written already. */
type AddedBody = EncodedBody | { readonly digest: string; readonly stage: number };

/**
 * Adds an entry of a new name; only within a write transaction.
 * @param parts of its body that {@link putParts} or its stage has written
 */
export function appendEntry(
  database: LocalDatabase,
  before: LogPosition,
  name: EntryName,
  { body, useCases }: Pick<NewEntry, "useCases"> & { readonly body: AddedBody },
  parts = 0,
): LogPosition {
  const { revision, id, at, node } = name;
  const { digest } = body;
  const stage = "stage" in body ? { stage: body.stage } : {};
  const head: EntryHead = {
    revision,
    id,
    prev: before.id,
    format: LOG_FORMAT,
    at,
    node,
    digest,
    ...(parts > 0 && { parts: { base: revision, id, count: parts, ...stage } }),
  };
  const value = encodeItem(head, parts > 0 || "stage" in body ? undefined : body.bytes);
  putValue(database, logKey("entry", revision), { version: revision, value });
  for (const key of thingKeys(useCases)) {
    putValue(database, aboutKey(key, revision), { version: revision, value: "" });
  }
  const after = { revision, id, at, log: before.log || id, floor: before.floor };
  putPosition(database, after);
  return after;
}

/** Stores a body in parts that end with a line, step by step; returns their number, 0 for one that needs none. */
export function* putParts(database: LocalDatabase, revision: number, bytes: Buffer): Generator<void, number> {
  let count = 0;
  for (let start = 0; bytes.length > PART_BYTES && start < bytes.length; ) {
    const end = bytes.indexOf(10, start + PART_BYTES) + 1 || bytes.length;
    const value = bytes.subarray(start, end);
    putValue(database, logKey("part", revision, count++), { version: revision, value });
    start = end;
    yield;
  }
  return count;
}

/** Writes what an entry replaces, piece by piece; only within a write transaction. */
export class UndoWriter {
  readonly #database: LocalDatabase;
  readonly #revision: number;
  readonly #kind: "undo" | "staged-undo";
  #lines: string[] = [];
  #length = 0;
  #index = 0;

  /** @param revision of the entry; of what is staged, the number of the stage */
  constructor(database: LocalDatabase, revision: number, kind: "undo" | "staged-undo" = "undo") {
    this.#database = database;
    this.#revision = revision;
    this.#kind = kind;
  }

  /** Notes what a key had. */
  add({ partition, key, before }: Replaced): void {
    const line = JSON.stringify(before ? [partition, key, before.value, before.version] : [partition, key]);
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length > PART_BYTES) this.end();
  }

  /** Writes what is left. */
  end(): void {
    if (this.#lines.length === 0) return;
    putValue(this.#database, logKey(this.#kind, this.#revision, this.#index), {
      version: this.#revision,
      value: this.#lines.join("\n"),
    });
    this.#index += 1;
    this.#lines = [];
    this.#length = 0;
  }
}

/** Removes some of the oldest entries whose time is over; only within a write transaction. */
export function trimEntries(database: LocalDatabase, position: LogPosition, end: number): LogPosition {
  let { floor } = position;
  for (let count = 0; count < MOST_TRIMMED && floor + 1 < position.revision; count++) {
    const head = readHead(database, floor + 1);
    if (head !== undefined && Date.parse(head.at) >= end) break;
    floor = removeEntry(database, floor + 1);
  }
  if (floor === position.floor) return position;
  const after = { ...position, floor };
  putPosition(database, after);
  return after;
}

/** Removes an entry and the one that is the floor; returns the new floor. Only within a write transaction. */
export function removeEntry(database: LocalDatabase, revision: number): number {
  for (const one of [revision - 1, revision]) {
    const item = readItem(database, one);
    if (item === undefined) continue;
    const { useCases = [] } = decodeFirstLine(readBody(database, item, {}, true));
    const stage = decodeHead(item).parts?.stage;
    for (const key of thingKeys(useCases)) database.removeSync(aboutKey(key, one));
    for (const kind of ["entry", "part", "undo"] as const) removeItems(database, kind, one);
    if (stage === undefined) continue;
    for (const kind of ["staged-part", "staged-undo"] as const) removeItems(database, kind, stage);
  }
  return revision;
}

/** Entries after a revision, at most `limit`; undefined where some are not kept. */
export function readEntries(
  database: LocalDatabase,
  after: number,
  limit: number,
  options: ReadOptions,
): readonly CommittedChange[] | undefined {
  const { floor } = readPosition(database, options) ?? EMPTY_LOG;
  // A migrated store keeps the entry that stands for its whole state.
  const hasFirst = after === floor - 1 && recordAt(database, logKey("entry", floor), options) !== undefined;
  if (after < floor && !hasFirst) return undefined;
  const range = { start: logKey("entry", after + 1), end: logKey("entry", Number.MAX_SAFE_INTEGER), limit };
  const found: CommittedChange[] = [];
  for (const { key, value } of database.getRange({ ...range, ...options })) {
    found.push(toChange(database, Buffer.from(intact(value, key).value), options));
  }
  return found;
}

/** Returns the id of an entry; "" for revision 0, undefined where it is not kept. */
export function readId(database: LocalDatabase, revision: number, options: ReadOptions): string | undefined {
  const newest = readPosition(database, options) ?? EMPTY_LOG;
  if (revision === newest.revision) return newest.id;
  if (revision === 0) return "";
  const item = readItem(database, revision, options);
  return item && decodeHead(item).id;
}

/** Returns the writes of an entry; undefined where it is not kept, or has not the id that is given. */
export async function readWrites(
  database: LocalDatabase,
  { revision, id }: { readonly revision: number; readonly id: string | undefined },
  options: ReadOptions,
): Promise<EntryWrites | undefined> {
  const { floor } = readPosition(database, options) ?? EMPTY_LOG;
  const item = revision <= floor ? undefined : readItem(database, revision, options);
  if (item === undefined || (id !== undefined && decodeHead(item).id !== id)) return undefined;
  return decodeBody(readBody(database, item, options));
}

/** Entries about a thing below `before`, newest first, at most `limit`. */
export function readAbout(
  database: LocalDatabase,
  thing: Thing,
  before: number,
  limit: number,
  options: ReadOptions,
): readonly CommittedChange[] {
  // No entry has a revision below the first.
  if (before <= 1) return [];
  const [own, all] = keysAbout(thing).map((key) => {
    const range = { start: aboutKey(key, before - 1), end: aboutKey(key), reverse: true, limit };
    return [...database.getKeys({ ...range, ...options })].map(revisionOfAbout);
  });
  return mergeNewest(own!, all!, limit).flatMap((revision) => {
    const item = readItem(database, revision, options);
    return item === undefined ? [] : [toChange(database, item, options)];
  });
}

/** Returns the records that the entries after a revision replaced, from the newest back, in pieces. */
export function* readReplaced(
  database: LocalDatabase,
  after: number,
  options: ReadOptions,
): Generator<readonly Replaced[]> {
  const range = { start: logKey("undo", Number.MAX_SAFE_INTEGER), end: logKey("undo", after, 2 ** 32 - 1) };
  for (const { key, value } of database.getRange({ ...range, reverse: true, ...options })) {
    const text = intact(value, key).value;
    const stage = stageOfUndo(text);
    if (stage === undefined) yield replacedIn(text);
    else yield* readReplacedByStage(database, stage, options);
  }
}

/** Returns the records that a stage replaced, from its last piece back. */
function* readReplacedByStage(
  database: LocalDatabase,
  stage: number,
  options: ReadOptions,
): Generator<readonly Replaced[]> {
  const range = {
    start: logKey("staged-undo", stage, 2 ** 32 - 1),
    end: logKey("staged-undo", stage - 1, 2 ** 32 - 1),
  };
  for (const { key, value } of database.getRange({ ...range, reverse: true, ...options })) {
    yield replacedIn(intact(value, key).value);
  }
}

/** Says in an entry's undo that a stage has it. */
export function putUndoOfStage(database: LocalDatabase, revision: number, stage: number): void {
  putValue(database, logKey("undo", revision), { version: revision, value: `${OF_STAGE}${stage}` });
}

/** Begins an undo that a stage has; a line of JSON begins otherwise. */
const OF_STAGE = "stage ";

/** The stage that has what an entry replaced, if one has. */
export function stageOfUndo(text: string): number | undefined {
  return text.startsWith(OF_STAGE) ? Number(text.slice(OF_STAGE.length)) : undefined;
}

/** Decodes a piece of {@link UndoWriter}. */
export function replacedIn(text: string): readonly Replaced[] {
  return text.split("\n").map((line) => toReplaced(JSON.parse(line)));
}

/** Decodes a line of {@link UndoWriter}. */
export function toReplaced(line: readonly [string, string, ...string[]]): Replaced {
  const [partition, key, text, version] = line;
  const before = text === undefined || version === undefined ? undefined : { value: text, version };
  return { partition, key, before };
}

function toChange(database: LocalDatabase, item: Buffer, options: ReadOptions): CommittedChange {
  return committedChange(decodeHead(item), decodeFirstLine(readBody(database, item, options, true)));
}

function readHead(database: LocalDatabase, revision: number): EntryHead | undefined {
  const item = readItem(database, revision);
  return item && decodeHead(item);
}

/** An entry as it is stored. */
export function readItem(
  database: LocalDatabase,
  revision: number,
  options: ReadOptions = {},
): Buffer | undefined {
  const record = recordAt(database, logKey("entry", revision), options);
  return record && Buffer.from(record.value);
}

/** The body of an item, or only as much of it as has its first line. */
function readBody(database: LocalDatabase, item: Buffer, options: ReadOptions, firstLine = false): Buffer {
  const { revision, parts } = decodeHead(item);
  if (parts === undefined) return item.subarray(item.indexOf(10) + 1);
  const found: Buffer[] = [];
  for (let index = 0; index < parts.count; index++) {
    const part = Buffer.from(recordAt(database, partKey(revision, parts, index), options)?.value ?? "");
    found.push(part);
    if (firstLine && part.includes(10)) break;
  }
  return Buffer.concat(found);
}

function partKey(revision: number, { stage }: PartsOf, index: number): Buffer {
  return stage === undefined ? logKey("part", revision, index) : logKey("staged-part", stage, index);
}

function removeItems(database: LocalDatabase, kind: LogItem, revision: number): void {
  const range = { start: logKey(kind, revision), end: logKey(kind, revision + 1) };
  // Copied: the keys of a range are overwritten when the next one is read.
  const keys = [...database.getKeys(range)].map((key) => Buffer.from(key));
  for (const key of keys) database.removeSync(key);
}
