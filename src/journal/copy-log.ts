/** Copies a log with its state, ids and history into an empty engine (spec/journal §4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { encodeBody, encodeItem, HEAD_BYTES, LOG_FORMAT, newId } from "../store/log-entry.ts";
import type { CommittedChange, EntryWrites, Store, VersionedRecord } from "../store/port.ts";
import type { EntryId } from "../store/replica.ts";
import { writeCheckpoint } from "./checkpoints.ts";
import { type Engine, entryName } from "./engine.ts";
import { writeParts } from "./entry-parts.ts";
import { CARRIED_IDS } from "./recent-ids.ts";

/** The result of a copy. */
export interface CopyReport {
  /** The oldest state that was copied. */
  readonly from: number;
  /** The newest revision. */
  readonly to: number;
  readonly entries: number;
}

/** A place that a log is copied to. */
interface LogTarget {
  /** Throws AuthorizerError "invalid_request" for a place that is not empty. */
  assertEmpty(): Promise<void>;
  /** Writes the state of an entry, which is not above what follows. */
  putState(state: CopiedState): Promise<void>;
  /** Writes the next entry. */
  putEntry(entry: CommittedChange, writes: EntryWrites): Promise<void>;
}

/** A state of a log. */
interface CopiedState {
  readonly last: { readonly revision: number; readonly id: string; readonly at: string };
  /** Id of the first entry of the log. */
  readonly log: string;
  readonly pages: AsyncIterable<readonly VersionedRecord[]>;
  /** True for the state that the kept entries follow; false for the newest one. */
  readonly isOldest: boolean;
  /** Ids of the newest entries up to it, in order; absent or empty: they are not known. */
  readonly recent?: readonly EntryId[];
}

const PAGE = 500;

/**
 * Copies the log of a store, which nobody may write to meanwhile.
 * @param recent ids of the newest entries up to the oldest state, where they are known: nodes that are behind find theirs
 */
export async function copyLog(
  source: Store,
  target: LogTarget,
  recent: readonly EntryId[] = [],
): Promise<CopyReport> {
  const { history } = source;
  await target.assertEmpty();
  const { head } = history;
  const from = await history.keptFrom();
  if (from > 0) {
    // The entry of the oldest state may be gone; then its id is in no entry that is kept, and any will do.
    const [first] = (await source.changes(from - 1, 1)) ?? [];
    const [next] = (await source.changes(from, 1)) ?? [];
    const known = from === head.revision ? head.id : first?.id;
    const last = { revision: from, id: known || newId(), at: first?.at ?? next?.at ?? head.at };
    await target.putState({ last, log: head.log, pages: history.records(from), isOldest: true, recent });
  }
  let entries = 0;
  let last: CommittedChange | undefined;
  for (let at = from; at < head.revision; at = last?.revision ?? at) {
    const page = await source.changes(at, PAGE);
    if (page === undefined || page.length === 0) throw incomplete(at);
    for (const entry of page) {
      const writes = await history.writes(entry.revision, entry.id);
      if (writes === undefined) throw incomplete(entry.revision);
      await target.putEntry(entry, writes);
      last = entry;
      entries += 1;
    }
  }
  if (last !== undefined) {
    const { revision, id, at } = last;
    const pages = history.records(revision);
    await target.putState({ last: { revision, id, at }, log: head.log, pages, isOldest: false });
  }
  return { from, to: head.revision, entries };
}

function incomplete(revision: number): AuthorizerError {
  const message = `the log changed while it was copied (revision ${revision}): stop the service, empty the target, and copy again`;
  return new AuthorizerError("unavailable", message);
}

/** Copies into an engine. */
export class EngineTarget implements LogTarget {
  readonly #engine: Engine;
  #prev = "";
  #recent: EntryId[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async assertEmpty(): Promise<void> {
    const { entries, floor } = await this.#engine.entries(0, 1);
    const checkpoints = await this.#engine.list("checkpoint", Number.MAX_SAFE_INTEGER, 1);
    if (entries.length === 0 && floor === 0 && checkpoints.length === 0) return;
    throw new AuthorizerError("invalid_request", "the database that is to be copied to has a log already");
  }

  async putState({ last, log, pages, isOldest, recent = [] }: CopiedState): Promise<void> {
    const { revision, id, at } = last;
    if (isOldest) {
      this.#prev = id;
      this.#recent = recent.length > 0 ? [...recent] : [[revision, id]];
    }
    await writeCheckpoint(this.#engine, { revision, last: { id, at }, log, recent: this.#recent, pages });
    if (isOldest) await this.#engine.raiseFloor(revision);
  }

  async putEntry({ revision, id, at, node }: CommittedChange, writes: EntryWrites): Promise<void> {
    const { bytes, digest } = await encodeBody(writes);
    const fits = bytes.length + HEAD_BYTES <= this.#engine.budgets.entry;
    const parts = fits ? undefined : await writeParts(this.#engine, bytes, revision - 1);
    const head = { revision, id, prev: this.#prev, format: LOG_FORMAT, at, node, digest };
    const item = encodeItem({ ...head, ...(parts !== undefined && { parts }) }, fits ? bytes : undefined);
    if (!(await this.#engine.create(entryName(revision), item))) {
      throw new AuthorizerError("conflict", "somebody else writes to the database that is copied to");
    }
    this.#prev = id;
    this.#recent.push([revision, id]);
    if (this.#recent.length > 2 * CARRIED_IDS) this.#recent = this.#recent.slice(-CARRIED_IDS);
  }
}
