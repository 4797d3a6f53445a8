/** The stages of the local store: one at a time, and sweeping of what former ones have left. */

import type { CheckedCommit } from "../checks.ts";
import type { Commit, ReadSet, Snapshot, Stage, StageSubject } from "../port.ts";
import { putValue } from "./database.ts";
import { stageKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { type EndedStage, LocalStage } from "./local-stage.ts";
import { nextStage, sweepStages } from "./sweep-stages.ts";

/** The parts of its store that stages need. */
interface StagesParts {
  readonly database: LocalDatabase;
  /** Runs an action in a write transaction, in which other work may run. */
  readonly transact: <T>(action: () => T | Promise<T>) => Promise<T>;
  /** The newest state with what a stage has. */
  readonly snapshot: (stage: number) => Snapshot;
  readonly isOutdated: (reads: ReadSet) => boolean;
  readonly finish: (stage: EndedStage, conditions: Pick<Commit, "expect" | "reads">) => Promise<number>;
  readonly isClosed: () => boolean;
  /** Told of a sweep that failed: the next stage and the next process try again. */
  readonly onTrouble: (error: unknown) => void;
}

/** Begins stages, and keeps the order between them. */
export class LocalStages {
  readonly #parts: StagesParts;
  /** Settles when no stage is open and nothing is swept. */
  #free: Promise<void>;
  #open: { readonly number: number; readonly stage: LocalStage } | undefined;

  constructor(parts: StagesParts, sweepsAtStart: boolean) {
    this.#parts = parts;
    this.#free = sweepsAtStart ? this.#sweep() : Promise.resolve();
  }

  /** As {@link Store.stage}. */
  async begin(subject: StageSubject): Promise<Stage> {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const before = this.#free;
    this.#free = before.then(() => isOver).then(() => this.#sweep());
    try {
      await before;
      return await this.#begin(subject, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** A value of a stage was overwritten. */
  overwritten(stage: number): void {
    if (this.#open?.number === stage) this.#open.stage.lose();
  }

  /** Hears what a commit writes; only within its write transaction. */
  heard({ put, delete: deleted }: Pick<CheckedCommit, "put" | "delete">): void {
    this.#open?.stage.heard(put);
    this.#open?.stage.heard(deleted);
  }

  /** Waits for the sweep that is under way to stop; an open stage is left to the next process. */
  async close(): Promise<void> {
    if (this.#open === undefined) await this.#free;
  }

  async #begin(subject: StageSubject, end: () => void): Promise<Stage> {
    const { database, transact, isOutdated, finish } = this.#parts;
    const number = await transact(() => {
      const next = nextStage(database);
      putValue(database, stageKey(next), { version: 0, value: "" });
      return next;
    });
    const stage = new LocalStage({
      database,
      number,
      subject,
      transact,
      isOutdated,
      finish,
      snapshot: () => this.#parts.snapshot(number),
      ended: () => {
        this.#open = undefined;
        end();
      },
    });
    this.#open = { number, stage };
    return stage;
  }

  async #sweep(): Promise<void> {
    const { isClosed, onTrouble } = this.#parts;
    if (isClosed()) return;
    try {
      await sweepStages(this.#parts);
    } catch (error) {
      if (!isClosed()) onTrouble(error);
    }
  }
}
