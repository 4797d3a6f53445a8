/** The checkpoints that a node writes, and the removal of what is no longer kept (spec/journal §4). */

import type { Leases } from "../store/leases.ts";
import type { Replica } from "../store/replica.ts";
import type { StoreLog } from "../store/store-log.ts";
import { newestCheckpoint, removeBefore, trimLog, writeCheckpoint } from "./checkpoints.ts";
import type { Clock } from "./clock.ts";
import type { JournalCounters } from "./counters.ts";
import { type Engine, LogDoubted } from "./engine.ts";
import { namedParts } from "./entry-parts.ts";
import type { JournalSettings } from "./journal-settings.ts";
import type { LogNode } from "./node.ts";
import { NodeEnds } from "./until-ended.ts";

/** Name of the lease of the node that writes checkpoints. */
const CHECKPOINTS = "checkpoints";
/** Time from a checkpoint that failed until another one is tried. */
const RETRY_MS = 60_000;
/** Attempts at a checkpoint while the engine is connected to anew again and again, which is no failure of it. */
const MOST_ATTEMPTS = 5;

/** The parts that checkpoints are made with. */
interface DueCheckpointsParts {
  readonly engine: Engine;
  readonly replica: Replica;
  readonly node: LogNode;
  readonly leases: Leases;
  readonly settings: JournalSettings;
  readonly counters: JournalCounters;
  readonly clock: Clock;
  /** Unix milliseconds. */
  readonly wallClock: () => number;
  readonly log: StoreLog | undefined;
  readonly onTrouble: (error: unknown) => void;
}

/** Writes checkpoints when they are due. */
export class DueCheckpoints {
  readonly #parts: DueCheckpointsParts;
  #running: Promise<void> | undefined;
  #closed = false;
  /** No checkpoint is begun before, by the clock. */
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(parts: DueCheckpointsParts) {
    this.#parts = parts;
  }

  /** Begins a checkpoint if one is due. To be called after each commit. */
  committed(): void {
    const { clock, onTrouble } = this.#parts;
    if (this.#closed || this.#running !== undefined || !this.#isDue || clock.now() < this.#notBefore) return;
    this.#running = this.#writeDue()
      .catch((error: unknown) => {
        // Whatever the end of the node broke off says nothing of the database.
        if (this.#closed || error instanceof NodeEnds) return;
        this.#notBefore = clock.now() + RETRY_MS;
        onTrouble(error);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** By number only while the checkpoint weighs less than the entries: that of a large directory costs more than they do. */
  get #isDue(): boolean {
    const { node, settings } = this.#parts;
    const areMany = node.revision - node.checkpointRevision >= settings.checkpointEvery;
    return node.isHeavy || (areMany && node.checkpointBytes <= node.bytesSinceCheckpoint);
  }

  /**
   * Breaks off what is being written, at its next piece: nobody knows of it before its marker, and a later removal takes what
   * it left. Another one is written when the next commit finds it due.
   */
  end(): void {
    this.#closed = true;
  }

  /** Resolves when nothing is being written. */
  async ended(): Promise<void> {
    await this.#running;
  }

  #assertOpen(): void {
    if (this.#closed) throw new NodeEnds();
  }

  async #writeDue(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt();
      } catch (error) {
        // It is a checkpoint of the log as it is now, which is looked at again.
        if (!(error instanceof LogDoubted) || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  /** Writes a checkpoint unless another node has written one meanwhile. */
  async #attempt(): Promise<void> {
    const { engine, node, leases } = this.#parts;
    const known = await newestCheckpoint(engine, node.checkpointRevision);
    if (known !== undefined) {
      node.knowsCheckpoint(known, node.bytesSinceCheckpoint);
      if (!this.#isDue) return;
    }
    if ((await leases.hold(CHECKPOINTS)) === undefined) return;
    await this.write();
  }

  /** Writes a checkpoint now and removes what is no longer kept. */
  async write(): Promise<void> {
    const { engine, node, settings, counters, wallClock, log } = this.#parts;
    const [source, weight] = await node.exclusive(
      async () => [await node.checkpointSource(), node.bytesSinceCheckpoint] as const,
    );
    if (source.revision === 0) return;
    const assertOpen = (): void => this.#assertOpen();
    const written = await writeCheckpoint(engine, { ...source, assertOpen });
    node.knowsCheckpoint(written ?? { revision: source.revision }, weight);
    if (written !== undefined) counters.checkpoints += 1;
    const keptSince = new Date(wallClock() - settings.keepMs).toISOString();
    const assertSame = (): void => {
      assertOpen();
      source.assertSame?.();
    };
    if (await trimLog(engine, keptSince, assertSame)) {
      log?.error(
        { revision: source.revision },
        "the log was trimmed earlier than authorizer.history.keep says: the database cannot hold much more of it",
      );
    }
  }

  /** Writes a checkpoint now and removes all that came before it. */
  async forgetPast(): Promise<void> {
    const { engine, replica, node } = this.#parts;
    const assertSame = await node.exclusive(() => node.sameFromNow());
    // Parts that no entry names yet stay for a while; those of the entries that go are not needed any more.
    const parts = await namedParts(engine, await engine.floor(), node.revision);
    await this.write();
    await removeBefore(engine, (await newestCheckpoint(engine, 0))?.revision ?? 0, assertSame);
    assertSame();
    await engine.remove(parts);
    await replica.history.forgetPast();
  }
}
