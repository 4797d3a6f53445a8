/** The database that all nodes share: its engine, the truth about every entry that it ever had, and backups of it. */

import type { ItemKind, ItemName } from "../../../src/journal/engine.ts";
import { MemoryEngine } from "../../../src/journal/engines/memory.ts";
import { readBody } from "../../../src/journal/entry-parts.ts";
import { decodeHead, type EntryHead } from "../../../src/store/log-entry.ts";
import type { EntryWrites } from "../../../src/store/port.ts";
import type { Schedule } from "./schedule.ts";
import { atOnce } from "./work-clock.ts";

/** An entry that was created. */
export interface Entry {
  /**
   * False: it was created below the floor, or the one before, or a part of this one, is not in the log, as that lost it; no
   * other node can apply this one.
   */
  readonly follows: boolean;
  readonly head: EntryHead;
  readonly item: Buffer;
  /** Undefined where its parts had been lost, and below the floor. */
  readonly body: EntryWrites | undefined;
}

/** A write to the partition of the log: of an entry, without an item where it was removed, or of the floor. */
type LogWrite = { readonly entry: number; readonly item: Buffer | undefined } | { readonly floor: number };

/** A copy of the engine as it was at one moment. */
interface Backup {
  readonly engine: MemoryEngine;
  readonly log: readonly Entry[];
}

/** The newest entry of the log, and the step from which on it was that. */
interface Head {
  readonly revision: number;
  readonly id: string;
  readonly from: number;
}

const KINDS: readonly ItemKind[] = ["entry", "part", "checkpoint", "piece"];
const VOID = { body: undefined, follows: false } as const;
const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** The database of a run. */
export class Database {
  engine: MemoryEngine;
  /** The log, also what was trimmed. */
  log: Entry[] = [];
  /** Times that it was put back to a backup. */
  epoch = 0;
  /** The first thing that a node did to it and must not do; "" for none. */
  fault = "";
  /** Every entry that was created, by {@link nameOf}. */
  readonly known = new Map<string, Entry>();
  /** Those that were lost. */
  readonly lost: Entry[] = [];
  /** Writes to the partition of the log, in their order: what a session may see is a beginning of it. */
  readonly logWrites: LogWrite[] = [];
  readonly #heads: Head[] = [{ revision: 0, id: "", from: 0 }];
  readonly #schedule: Schedule;

  constructor(schedule: Schedule, budgets: { entry: number; part: number }) {
    this.#schedule = schedule;
    this.engine = new MemoryEngine(budgets);
  }

  /** As an engine does. An entry above the floor that follows the newest one is part of the log. */
  create(name: ItemName, item: Buffer): Promise<boolean> {
    return atOnce(() => this.#create(name, item));
  }

  async #create(name: ItemName, item: Buffer): Promise<boolean> {
    const { engine } = this;
    const made = await engine.create(name, item);
    if (made && name.kind === "entry") this.logWrites.push({ entry: name.number, item });
    if (!made || name.kind !== "entry") return made;
    const head = decodeHead(item);
    if (name.number <= (await engine.floor())) {
      // It is void. One that was trimmed may land once more.
      if (!this.known.has(nameOf(head))) this.known.set(nameOf(head), { head, item, ...VOID });
      return made;
    }
    const body = await readBody(engine, head, item);
    const follows = body !== undefined && name.number === this.log.length + 1 && head.prev === this.#newest;
    const entry = { head, item, body, follows };
    this.known.set(nameOf(head), entry);
    if (!follows) return made;
    this.log.push(entry);
    this.#noteHead();
    return made;
  }

  /** As an engine does. */
  async raiseFloor(to: number): Promise<void> {
    await this.engine.raiseFloor(to);
    this.logWrites.push({ floor: await this.engine.floor() });
  }

  /** As an engine does. What the log still needs must not be removed. */
  async remove(names: readonly ItemName[]): Promise<void> {
    const floor = await this.engine.floor();
    for (const { kind, number } of names) {
      const isNeeded = kind === "entry" && number > floor && number <= this.log.length;
      if (isNeeded) this.fault ||= `entry ${number} was removed above the floor`;
      if (kind === "entry") this.logWrites.push({ entry: number, item: undefined });
    }
    await this.engine.remove(names);
  }

  /** Makes a backup. */
  backUp(): Promise<Backup> {
    return atOnce(() => this.#backUp());
  }

  async #backUp(): Promise<Backup> {
    const { engine } = this;
    const copy = new MemoryEngine(engine.budgets);
    for (const kind of KINDS) {
      for (const name of await engine.list(kind, EVERYTHING, EVERYTHING)) {
        await copy.create(name, (await engine.read(name))!);
      }
    }
    await copy.raiseFloor(await engine.floor());
    return { engine: copy, log: [...this.log] };
  }

  /** Puts everything back to a backup: what came later is lost. */
  restore({ engine, log }: Backup): void {
    this.lost.push(...this.log.slice(log.length));
    this.engine = engine;
    this.log = [...log];
    this.epoch += 1;
    this.#noteHead();
  }

  /** True if an entry was the newest of the log at some moment between two steps. */
  wasNewest(id: string, since: number, until: number): boolean {
    return this.#heads.some(
      (head, index) =>
        head.id === id && head.from <= until && (this.#heads[index + 1]?.from ?? until) >= since,
    );
  }

  /** Id of the first entry of the log that an entry was in; undefined for one that never was in one. */
  firstOf({ revision, id }: { readonly revision: number; readonly id: string }): string | undefined {
    let at = { revision, id };
    for (;;) {
      const entry = this.known.get(nameOf(at));
      if (entry === undefined) return undefined;
      if (at.revision === 1) return at.id;
      at = { revision: at.revision - 1, id: entry.head.prev };
    }
  }

  /** True if some keys had these values at some moment between two steps. */
  wasSo(seen: Readonly<Record<string, string | null>>, of: string, since: number, until: number): boolean {
    return this.#heads.some((head, index) => {
      const isThen = head.from <= until && (this.#heads[index + 1]?.from ?? until) >= since;
      if (!isThen) return false;
      const state = this.#stateAt(head, of);
      return Object.entries(seen).every(([key, value]) => (state.get(key) ?? null) === value);
    });
  }

  /** The values of the keys of a partition once an entry was applied. */
  #stateAt(head: Head, of: string): ReadonlyMap<string, string> {
    const state = new Map<string, string>();
    let { id } = head;
    // By place too: without the rule of new ids several entries have one.
    for (let { revision } = head; revision > 0; revision--) {
      const entry = this.known.get(nameOf({ revision, id }));
      if (entry === undefined) break;
      id = entry.head.prev;
      for (const { partition, key, value } of entry.body?.put ?? []) {
        if (partition === of && !state.has(key)) state.set(key, value);
      }
    }
    return state;
  }

  get #newest(): string {
    return this.log.at(-1)?.head.id ?? "";
  }

  #noteHead(): void {
    this.#heads.push({ revision: this.log.length, id: this.#newest, from: this.#schedule.steps });
  }
}

/** Names an entry: one that was lost may have had the same revision. */
export function nameOf({ revision, id }: { readonly revision: number; readonly id: string }): string {
  return `${revision}/${id}`;
}
