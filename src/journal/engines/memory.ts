/** The engine in memory: for tests, where several nodes of one process share it. */

import type { Engine, EntryPage, ItemKind, ItemName, ListedKind } from "../engine.ts";

/** The log that the nodes of one process share. */
export class MemoryEngine implements Engine {
  readonly budgets: { entry: number; part: number };
  readonly lookMs = 1;
  readonly #items = new Map<string, Buffer>();
  readonly #names = new Map<string, ItemName>();
  readonly #listeners = new Set<(revision?: number) => void>();
  #floor = 0;

  constructor(budgets = { entry: 64 * 1024, part: 350 * 1024 }) {
    this.budgets = budgets;
  }

  async create(name: ItemName, item: Buffer): Promise<boolean> {
    const key = keyOf(name);
    if (this.#items.has(key)) return false;
    this.#items.set(key, Buffer.from(item));
    this.#names.set(key, name);
    if (name.kind === "entry") for (const listener of this.#listeners) listener(name.number);
    return true;
  }

  async read(name: ItemName): Promise<Buffer | undefined> {
    return this.#items.get(keyOf(name));
  }

  async entries(after: number, limit: number): Promise<EntryPage> {
    const entries: { revision: number; item: Buffer }[] = [];
    for (let revision = after + 1; entries.length < limit; revision++) {
      const item = this.#items.get(keyOf({ kind: "entry", number: revision, name: "" }));
      if (item === undefined) break;
      entries.push({ revision, item });
    }
    return { entries, floor: this.#floor };
  }

  async firstAfter(revision: number): Promise<number | undefined> {
    const entries = await this.list("entry", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    return entries.find(({ number }) => number > revision)?.number;
  }

  async floor(): Promise<number> {
    return this.#floor;
  }

  async raiseFloor(to: number): Promise<void> {
    this.#floor = Math.max(this.#floor, to);
  }

  async remove(names: readonly ItemName[]): Promise<void> {
    for (const name of names) {
      this.#items.delete(keyOf(name));
      this.#names.delete(keyOf(name));
    }
  }

  async list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]> {
    return [...this.#names.values()]
      .filter((name) => name.kind === kind && name.number <= upTo)
      .sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }

  async newest(kind: ListedKind, upTo: number): Promise<ItemName | undefined> {
    return (await this.list(kind, upTo, Number.MAX_SAFE_INTEGER)).at(-1);
  }

  watch(listener: (revision?: number) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {}
}

function keyOf({ kind, number, name }: ItemName): string {
  return `${kind}/${number}/${name}`;
}
