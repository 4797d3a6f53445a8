/** A map with several distinct values for a key. Most keys have one value, which is held without a set of its own. */

/** Texts by text. */
export class MultiMap {
  readonly #values = new Map<string, string | Set<string>>();

  /** Number of keys. */
  get size(): number {
    return this.#values.size;
  }

  /** The values of a key, as they are now: the map may change while they are gone through. */
  of(key: string): readonly string[] {
    const values = this.#values.get(key);
    if (values === undefined) return NONE;
    return typeof values === "string" ? [values] : [...values];
  }

  /** Adds a value to a key that may have it. */
  add(key: string, value: string): void {
    const values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, value);
    else if (typeof values !== "string") values.add(value);
    else if (values !== value) this.#values.set(key, new Set([values, value]));
  }

  /** Removes a value from a key that may lack it. */
  remove(key: string, value: string): void {
    const values = this.#values.get(key);
    if (values === value) this.#values.delete(key);
    else if (values instanceof Set && values.delete(value) && values.size === 0) this.#values.delete(key);
  }

  /** Removes a key with its values. */
  delete(key: string): void {
    this.#values.delete(key);
  }

  /** Removes everything. */
  clear(): void {
    this.#values.clear();
  }
}

const NONE: readonly string[] = [];
