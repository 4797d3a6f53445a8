/**
 * Loads from the directory that concurrent callers share, as long as nothing changed since they began
 * (spec/security §4.1): what a cache over the directory is filled by.
 */

interface Load<T> {
  readonly generation: number;
  readonly result: Promise<T>;
}

/** Loads by key. Errors are not kept. */
export class SharedLoads<T> {
  readonly #loads = new Map<string, Load<T>>();
  #generation = 0;

  /** Advances with every change. */
  get generation(): number {
    return this.#generation;
  }

  /** Something changed: loads under way are not shared with those who come from now on. */
  advance(): void {
    this.#generation++;
  }

  /**
   * Loads, or joins a load that began after the last change.
   * @param keep receives the value and the generation in which its load began, and may store it
   */
  load(key: string, find: () => Promise<T>, keep: (found: T, generation: number) => void): Promise<T> {
    const running = this.#loads.get(key);
    const generation = this.#generation;
    if (running !== undefined && running.generation === generation) return running.result;
    const result = find().then((found) => {
      keep(found, generation);
      return found;
    });
    const load = { generation, result };
    this.#loads.set(key, load);
    const done = (): void => {
      if (this.#loads.get(key) === load) this.#loads.delete(key);
    };
    result.then(done, done);
    return result;
  }
}
