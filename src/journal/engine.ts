/**
 * The port of an engine: what holds the log and its checkpoints (spec/journal §1). Only {@link Engine.create} decides
 * anything; it has to be atomic, and every read has to be strong: it sees what was created before it was sent.
 */

/** Kinds of items. Entries are numbered by revision; the others have names of their own. */
export type ItemKind = "entry" | "part" | "checkpoint" | "piece" | "usage";

/** Kinds that are in one list each; entries are read by their number. */
export type ListedKind = Exclude<ItemKind, "entry">;

/** Names an item. */
export interface ItemName {
  readonly kind: ItemKind;
  /** Revision of an entry or checkpoint; of a part: the revision at which its writing began. */
  readonly number: number;
  /** Distinguishes items of one number; "" for entries and checkpoints. */
  readonly name: string;
}

/** Entries in order, and the floor as it was when they were read or later. */
export interface EntryPage {
  readonly entries: readonly { readonly revision: number; readonly item: Buffer }[];
  readonly floor: number;
  /**
   * The beginning of the entry of the revision itself, read along at no cost; its `head` is undefined where that is gone.
   * Absent where the engine does not read it.
   */
  readonly own?: { readonly head: Buffer | undefined };
}

/** The findings of a look at the log, read in this order (spec/journal §2.8). */
export interface LogLook {
  /** Whether there is an entry after the revision. */
  readonly hasNext: boolean;
  /** The entry of the revision, or its beginning with the whole head; undefined where it is gone, or the revision is 0. */
  readonly own: Buffer | undefined;
  /** Read last, and never remembered. */
  readonly floor: number;
}

/** Limits of the items of an engine, in bytes. */
export interface Budgets {
  readonly entry: number;
  readonly part: number;
}

/** An engine. Any error but {@link NothingDone} leaves open whether the call took effect. */
export interface Engine {
  readonly budgets: Budgets;
  /** Milliseconds between polls while notifications come through; undefined: as configured. */
  readonly restMs?: number | undefined;
  /** Polls that the database takes from all nodes together, a second; undefined: as many as there are. */
  readonly pollsPerSecond?: number | undefined;
  /** Least milliseconds between two looks of a node; undefined: as many as there are nodes, and 50 at least. */
  readonly lookMs?: number | undefined;
  /** Creates an item if there is none of its name; false where there is one. */
  create(name: ItemName, item: Buffer): Promise<boolean>;
  /**
   * As {@link create}, and reads the floor afterwards on the same way to the database. The floor is undefined where only
   * that read failed. Absent where this takes two ways.
   */
  createAndFloor?(
    name: ItemName,
    item: Buffer,
  ): Promise<{ readonly created: boolean; readonly floor: number | undefined }>;
  /** Reads an item; undefined where there is none. */
  read(name: ItemName): Promise<Buffer | undefined>;
  /** Entries that follow a revision without a gap, at most `limit` of them. */
  entries(after: number, limit: number): Promise<EntryPage>;
  /**
   * Number of the first entry after a revision, behind a gap too; undefined where there is none. An engine that cannot look
   * everywhere looks at the thousand numbers that follow, at least.
   */
  firstAfter(revision: number): Promise<number | undefined>;
  /** The floor: entries at or below it may be gone. 0 at first. */
  floor(): Promise<number>;
  /**
   * Looks at what is behind a revision by one statement. Throws where that proves nothing. Absent where three reads do it.
   */
  look?(revision: number): Promise<LogLook>;
  /**
   * Resolves when the reads of the log that follow see all that was written before the call. Absent where every read does.
   */
  barrier?(): Promise<void>;
  /** Raises the floor; a lower number changes nothing. */
  raiseFloor(to: number): Promise<void>;
  /** Removes items; one that is absent is no error. */
  remove(names: readonly ItemName[]): Promise<void>;
  /** Names of the items of a kind with numbers up to `upTo`, ascending, at most `limit`. */
  list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]>;
  /**
   * Name of the item of a kind with the greatest number up to `upTo`; undefined where there is none. A checkpoint that was made
   * before the call is seen.
   */
  newest(kind: ListedKind, upTo: number): Promise<ItemName | undefined>;
  /** True when the log has come so near to what the engine can hold that it has to be trimmed; absent: it never does. */
  isCrowded?(): Promise<boolean>;
  /**
   * Calls `listener` with the revision of an entry that was created, and without one when a connection to the database
   * broke or was made anew, so that the log may be another one; returns what ends that. Polling goes on regardless.
   */
  watch(listener: (revision?: number) => void): () => void;
  close(): Promise<void>;
}

/** Thrown by an engine that knows that a call had no effect; the message says what an operator can do. */
export class NothingDone extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "NothingDone";
  }
}

/** Thrown for work that ends since the log may have become another one meanwhile: the engine was connected to anew. */
export class LogDoubted extends NothingDone {
  constructor() {
    super("the database may have lost what was written");
  }
}

/** Name of an entry. */
export function entryName(revision: number): ItemName {
  return { kind: "entry", number: revision, name: "" };
}

/** Name of the marker that makes a checkpoint known. */
export function checkpointName(revision: number): ItemName {
  return { kind: "checkpoint", number: revision, name: "" };
}

/** Name of a part of an entry. */
export function partName(base: number, id: string, index: number): ItemName {
  return { kind: "part", number: base, name: `${id}/${String(index).padStart(6, "0")}` };
}

/** Name of a piece of a checkpoint. */
export function pieceName(revision: number, id: string, index: number): ItemName {
  return { kind: "piece", number: revision, name: `${id}/${String(index).padStart(6, "0")}` };
}
