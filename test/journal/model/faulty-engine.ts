/** One node's way to an engine that all share: every call waits for its turn, and some go wrong. */

import type { Engine, ItemName } from "../../../src/journal/engine.ts";
import type { MemoryEngine } from "../../../src/journal/engines/memory.ts";
import type { Schedule } from "./schedule.ts";

/** The part of the log that a run keeps: the entries that were created above the floor. */
export type Archive = Map<number, Buffer>;

/** Whether a node still lives: the calls of one that was killed never end. */
export interface Life {
  alive: boolean;
}

const never = new Promise<never>(() => {});

/** The engine as one node reaches it. */
export function faultyEngine(shared: MemoryEngine, archive: Archive, schedule: Schedule, life: Life): Engine {
  const create = async (name: ItemName, item: Buffer): Promise<boolean> => {
    const made = await shared.create(name, item);
    if (made && name.kind === "entry" && name.number > (await shared.floor())) archive.set(name.number, item);
    return made;
  };
  const call = async <T>(work: () => Promise<T>, mayFail = true): Promise<T> => {
    await schedule.step();
    if (!life.alive) return never;
    if (mayFail && schedule.choose(40) === 39) throw new Error("the connection was lost");
    const answer = await work();
    await schedule.step();
    return life.alive ? answer : never;
  };
  const later = async (work: () => Promise<unknown>): Promise<void> => {
    for (let wait = schedule.choose(60); wait > 0; wait--) await schedule.step();
    await work();
  };
  /** Goes wrong in the ways in which a database does. */
  const tryToCreate = async (name: ItemName, item: Buffer): Promise<boolean> => {
    if (name.kind !== "entry") return create(name, item);
    switch (schedule.choose(10)) {
      case 9:
        await create(name, item);
        throw new Error("the answer was lost");
      case 8:
        void later(() => create(name, item));
        throw new Error("the call lands later");
      case 7:
        // Client libraries repeat requests by themselves.
        await create(name, item);
        return create(name, item);
      default:
        return create(name, item);
    }
  };
  // Some databases create and read the floor in one way.
  const isOneWay = schedule.choose(2) === 1;
  return {
    budgets: shared.budgets,
    create: (name, item) => call(() => tryToCreate(name, item), false),
    ...(isOneWay && {
      createAndFloor: (name, item) =>
        call(async () => {
          const created = await tryToCreate(name, item);
          await schedule.step();
          // Only this read may fail.
          return { created, floor: schedule.choose(10) === 9 ? undefined : await shared.floor() };
        }, false),
    }),
    read: (name) => call(() => shared.read(name)),
    entries: (after, limit) => call(() => shared.entries(after, limit)),
    floor: () => call(() => shared.floor()),
    raiseFloor: (to) => call(() => shared.raiseFloor(to)),
    remove: (names) => call(() => shared.remove(names)),
    list: (kind, upTo, limit) => call(() => shared.list(kind, upTo, limit)),
    newest: (kind, upTo) => call(() => shared.newest(kind, upTo)),
    watch: () => () => {},
    close: async () => {},
  };
}
