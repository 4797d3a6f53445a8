/** The time between two polls of a node, which depends on the number of nodes (spec/journal §3.6). */

import { type Store, withSnapshot } from "../store/port.ts";
import type { Engine } from "./engine.ts";

/** Longest interval that a number of nodes makes: what is acknowledged shall be in force everywhere within a second. */
const MOST_MS = 1_000;
/** Least milliseconds between two looks of a node, where the engine says nothing. */
const LOOK_MS = 50;
/** Nodes that are counted at most. */
const MOST_NODES = 10_000;

/** The records of which each node that runs has one. */
export interface NodeRecords {
  readonly partition: string;
  readonly prefix: string;
}

/** The interval of one node. */
export class PollInterval {
  readonly #engine: Engine;
  readonly #configuredMs: number;
  #nodes = 0;

  constructor(engine: Engine, configuredMs: number) {
    this.#engine = engine;
    this.#configuredMs = configuredMs;
  }

  /** Milliseconds. */
  get ms(): number {
    const { restMs, pollsPerSecond = Number.POSITIVE_INFINITY } = this.#engine;
    if (restMs !== undefined) return restMs;
    return Math.max(this.#configuredMs, Math.min(MOST_MS, (1_000 * this.#nodes) / pollsPerSecond));
  }

  /** Least milliseconds between two looks: all nodes together make 1,000 a second at most. */
  get lookMs(): number {
    return this.#engine.lookMs ?? Math.max(LOOK_MS, this.#nodes);
  }

  /** Counts the nodes in the copy, where that matters. A node that was killed has its record still. */
  async count(copy: Store, records: NodeRecords | undefined): Promise<void> {
    const { pollsPerSecond, lookMs } = this.#engine;
    const matters = pollsPerSecond !== undefined || lookMs === undefined;
    if (!matters || records === undefined) return;
    const { partition, prefix } = records;
    const found = await withSnapshot(copy, (snapshot) =>
      snapshot.scan(partition, { prefix, limit: MOST_NODES }),
    );
    this.#nodes = found.length;
  }
}
