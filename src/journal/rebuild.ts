/**
 * A copy that is made anew since its log went back (spec/journal §3): the new state is made beside the old one, from the newest
 * checkpoint and all that follows it, and takes its place when it is the newest of the log.
 */

import { decodeHead } from "../store/log-entry.ts";
import type { EntryId, FormerState, Replica, StateBeside } from "../store/replica.ts";
import { CheckpointGone, newestCheckpoint, readRecentIds, readRecords } from "./checkpoints.ts";
import { LogMissing } from "./copy-condition.ts";
import type { Engine } from "./engine.ts";
import { bodyInPieces } from "./entry-parts.ts";
import { lookAt } from "./look.ts";
import { assertLog } from "./place-in-log.ts";
import { isTornAfter } from "./torn-log.ts";
import { type NodeEnd, untilEnded } from "./until-ended.ts";

const PAGE = 100;
/** Attempts to read a state that is being trimmed. */
const MOST_ATTEMPTS = 5;

/** The parts that a state is made from. */
export interface RebuildParts extends NodeEnd {
  readonly engine: Engine;
  readonly replica: Replica;
  /** Throws for a format that this program does not know. */
  readonly assertKnown: (format: number) => void;
}

/** A state that has taken the place of another one. */
export interface Rebuilt {
  readonly revision: number;
  readonly id: string;
  readonly at: string;
  /** Id of the first entry of the log. */
  readonly log: string;
  readonly format: number;
  /** Ids of its newest entries, in order. */
  readonly recent: readonly EntryId[];
  /** The checkpoint that it began with; undefined for none. */
  readonly checkpoint: { readonly revision: number; readonly bytes: number } | undefined;
  /** Weight of the entries since. */
  readonly bytes: number;
  /** The state before. */
  readonly former: FormerState;
}

/**
 * Replaces the copy of a log by what the database has of that log now, once that is whole.
 * @throws LogMissing where the database has no log, another one, or none that a whole state can be made from; NodeEnds
 */
export async function rebuild(parts: RebuildParts, log: string): Promise<Rebuilt> {
  for (let attempt = 1; ; attempt++) {
    await assertLog(parts.engine, log);
    const state = await parts.replica.beside();
    try {
      const made = await new StateMaker(parts, state).make(log);
      return { ...made, former: await state.take() };
    } catch (error) {
      await state.discard();
      if (!(error instanceof CheckpointGone) || attempt === MOST_ATTEMPTS) throw broken(error);
    }
  }
}

function broken(error: unknown): unknown {
  if (!(error instanceof CheckpointGone)) return error;
  return new LogMissing("broken_log", `no whole state can be made from the log: ${error.message}`);
}

/** Fills a state up to the newest entry. */
export class StateMaker {
  readonly #parts: RebuildParts;
  readonly #state: StateBeside;
  #made: Omit<Rebuilt, "former" | "log"> & { recent: EntryId[] } = {
    revision: 0,
    id: "",
    at: "",
    format: 1,
    recent: [],
    checkpoint: undefined,
    bytes: 0,
  };

  constructor(parts: RebuildParts, state: StateBeside) {
    this.#parts = parts;
    this.#state = state;
  }

  /** @throws CheckpointGone where the log was trimmed meanwhile, or is not whole; the state is of no use then */
  async make(log: string): Promise<Omit<Rebuilt, "former">> {
    await this.#fill(log);
    await this.#follow(log);
    return { ...this.#made, log };
  }

  async #fill(log: string): Promise<void> {
    const { engine, assertKnown } = this.#parts;
    const marker = await newestCheckpoint(engine, 0);
    if (marker === undefined) return;
    if (marker.log !== log) throw new CheckpointGone("its checkpoint is of another log");
    const { revision, last, format = 1, bytes } = marker;
    assertKnown(format);
    const recent = [...(await readRecentIds(engine, marker))];
    const records = untilEnded(readRecords(engine, marker), this.#parts);
    await this.#state.fill({ revision, node: "", log, ...last }, records, recent);
    this.#made = { revision, ...last, format, recent, checkpoint: { revision, bytes }, bytes: 0 };
  }

  async #follow(log: string): Promise<void> {
    const { engine, assertKnown, assertOpen } = this.#parts;
    for (;;) {
      assertOpen?.();
      const { entries, floor } = await engine.entries(this.#made.revision, PAGE);
      if (floor > this.#made.revision) throw new CheckpointGone("it was trimmed");
      // The database may have been emptied, or another one put in its place, since it was found to have this log.
      if (entries.length === 0) {
        if (this.#made.revision === 0) throw new CheckpointGone("it was emptied");
        if (await isTornAfter(engine, this.#made.revision))
          throw new CheckpointGone(`entry ${this.#made.revision + 1} is gone, and a later one is there`);
        // That nothing follows says nothing of a log that went back since its beginning was read.
        const looked = await lookAt(engine, this.#made);
        if (looked === "newest") return;
        if (looked === "other") throw new CheckpointGone("the log went back");
      }
      for (const { item } of entries) {
        const head = decodeHead(item);
        assertKnown(head.format);
        if (head.revision === 1 && head.id !== log) throw new CheckpointGone("it is another log");
        if (head.prev !== this.#made.id)
          throw new CheckpointGone(`entry ${head.revision} does not follow the one before`);
        await this.#state.apply(head, untilEnded(bodyInPieces(engine, head, item), this.#parts));
        const { revision, id, at, format } = head;
        this.#made.recent.push([revision, id]);
        this.#made = { ...this.#made, revision, id, at, format, bytes: this.#made.bytes + item.length };
      }
    }
  }
}

/** Newest revision that is under the same id in both; undefined where no id says so. */
export function commonRevision(a: readonly EntryId[], b: readonly EntryId[]): number | undefined {
  const ids = new Set(b.map(([, id]) => id));
  return a.findLast(([, id]) => ids.has(id))?.[0];
}
