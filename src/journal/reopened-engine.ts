/** The engine of a node that started while its database was away: it is opened by the first call that succeeds (spec/journal §3). */

import type { Budgets, Engine, ItemName } from "./engine.ts";
import { LazyEngine } from "./lazy-engine.ts";

/** Until the engine is known, items are as small as any engine needs them. */
const LEAST_BUDGETS: Budgets = { entry: 64 * 1024, part: 350 * 1024 };

/** Opens an engine again and again, and then is it. */
export class ReopenedEngine extends LazyEngine {
  readonly #listeners = new Set<(revision?: number) => void>();
  #opened: Engine | undefined;

  constructor(open: () => Promise<Engine>) {
    super(LEAST_BUDGETS, async () => {
      const engine = await open();
      this.#opened = engine;
      engine.watch((revision) => {
        for (const listener of this.#listeners) listener(revision);
      });
      return engine;
    });
  }

  get restMs(): number | undefined {
    return this.#opened?.restMs;
  }

  get pollsPerSecond(): number {
    return this.#opened?.pollsPerSecond ?? Number.POSITIVE_INFINITY;
  }

  get lookMs(): number | undefined {
    return this.#opened?.lookMs;
  }

  async createAndFloor(
    name: ItemName,
    item: Buffer,
  ): Promise<{ readonly created: boolean; readonly floor: number | undefined }> {
    const both = this.#opened?.createAndFloor?.bind(this.#opened);
    return both === undefined
      ? { created: await this.create(name, item), floor: undefined }
      : both(name, item);
  }

  async isCrowded(): Promise<boolean> {
    return (await this.#opened?.isCrowded?.()) === true;
  }

  override watch(listener: (revision?: number) => void = () => {}): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
