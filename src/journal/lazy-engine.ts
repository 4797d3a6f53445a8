/** An engine that is opened by its first call: a worker needs it for the past only (spec/journal §7). */

import type { Budgets, Engine, EntryPage, ItemKind, ItemName, ListedKind, LogLook } from "./engine.ts";
import { lookOneByOne } from "./look.ts";

/** Opens an engine when it is needed, and again where that failed. */
export class LazyEngine implements Engine {
  readonly budgets: Budgets;
  readonly #open: () => Promise<Engine>;
  #opened: Promise<Engine> | undefined;

  constructor(budgets: Budgets, open: () => Promise<Engine>) {
    this.budgets = budgets;
    this.#open = open;
  }

  async create(name: ItemName, item: Buffer): Promise<boolean> {
    return (await this.#engine()).create(name, item);
  }

  async read(name: ItemName): Promise<Buffer | undefined> {
    return (await this.#engine()).read(name);
  }

  async entries(after: number, limit: number): Promise<EntryPage> {
    return (await this.#engine()).entries(after, limit);
  }

  async floor(): Promise<number> {
    return (await this.#engine()).floor();
  }

  async look(revision: number): Promise<LogLook> {
    const engine = await this.#engine();
    return engine.look?.(revision) ?? lookOneByOne(engine, revision);
  }

  async barrier(): Promise<void> {
    await (await this.#engine()).barrier?.();
  }

  async raiseFloor(to: number): Promise<void> {
    await (await this.#engine()).raiseFloor(to);
  }

  async remove(names: readonly ItemName[]): Promise<void> {
    await (await this.#engine()).remove(names);
  }

  async firstAfter(revision: number): Promise<number | undefined> {
    return (await this.#engine()).firstAfter(revision);
  }

  async list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]> {
    return (await this.#engine()).list(kind, upTo, limit);
  }

  async newest(kind: ListedKind, upTo: number): Promise<ItemName | undefined> {
    return (await this.#engine()).newest(kind, upTo);
  }

  /** Hears of nothing: the primary process follows the log. */
  watch(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  #engine(): Promise<Engine> {
    this.#opened ??= this.#open();
    const opening = this.#opened;
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined;
    });
    return opening;
  }
}
