/** One node's way to the database that all share: every call waits for its turn, and some go wrong. */

import type { Engine, ItemName } from "../../../src/journal/engine.ts";
import type { Database } from "./database.ts";
import type { Schedule } from "./schedule.ts";
import { Session } from "./session.ts";

/** Whether a node still lives: the calls of one that was killed never end. */
export interface Life {
  alive: boolean;
}

/** A node's connection. */
export interface Connection {
  readonly engine: Engine;
  /** True: calls fail, as the database was put back, until the node has heard of it by one of them. */
  isBroken: boolean;
  /** True: not even calls that are on the way fail when the database is put back. */
  readonly isSilent: boolean;
}

/** A node that hears of its connection. */
interface Listener {
  /** Called with each entry that is about to be created. */
  onCreate(): void;
}

/** One for each call: what waits for it can be freed with it. */
const never = (): Promise<never> => new Promise(() => {});

/** Connects a node. */
export function connect(
  database: Database,
  schedule: Schedule,
  life: Life,
  { isSilent, isSession }: { readonly isSilent: boolean; readonly isSession: boolean },
  { onCreate }: Listener,
): Connection {
  const session = isSession ? new Session(database, schedule) : undefined;
  const create = async (name: ItemName, item: Buffer): Promise<boolean> => {
    const made = await database.create(name, item);
    // Where the create was refused, the engine reads until the session sees what is there.
    if (name.kind === "entry") session?.wrote();
    return made;
  };
  const lost = (): Error => new Error("the connection was lost");
  const call = async <T>(work: () => Promise<T>, mayFail = true): Promise<T> => {
    const { epoch } = database;
    const { isBroken } = connection;
    await schedule.step();
    // Now and then a node is suspended, before or after the database has worked for it.
    const isSlow = schedule.rarely(25);
    const isBefore = schedule.choose(2) === 1;
    if (isSlow && isBefore) await schedule.wait(250);
    if (!life.alive) return never();
    if (isBroken || (!isSilent && epoch !== database.epoch)) {
      connection.isBroken = false;
      throw lost();
    }
    const failure = mayFail ? schedule.choose(40) : 0;
    if (failure === 39) throw lost();
    const answer = await work();
    if (isSlow && !isBefore) await schedule.wait(250);
    if (failure === 38) throw lost();
    await schedule.step();
    if (!life.alive) return never();
    // The answer may have come before the connection broke.
    if (!isSilent && epoch !== database.epoch && schedule.choose(2) === 0) throw lost();
    return answer;
  };
  const later = async (work: () => Promise<unknown>): Promise<void> => {
    const { epoch } = database;
    await schedule.wait(300);
    if (epoch === database.epoch) await work();
  };
  /** Goes wrong in the ways in which a database does. */
  const tryToCreate = async (name: ItemName, item: Buffer): Promise<boolean> => {
    if (name.kind !== "entry") return create(name, item);
    onCreate();
    switch (schedule.choose(10)) {
      case 9:
        await create(name, item);
        if (schedule.choose(2) === 1) await schedule.wait(200);
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
  const isOneWay = schedule.choose(2) === 1 && !isSession;
  const reads = session?.reads ?? {
    read: (name: ItemName) => database.engine.read(name),
    entries: (after: number, limit: number) => database.engine.entries(after, limit),
    firstAfter: (revision: number) => database.engine.firstAfter(revision),
    floor: () => database.engine.floor(),
  };
  const connection: Connection = {
    isBroken: false,
    isSilent,
    engine: {
      budgets: database.engine.budgets,
      create: (name, item) => call(() => tryToCreate(name, item), name.kind !== "entry"),
      ...(isOneWay && {
        createAndFloor: (name, item) =>
          call(async () => {
            const created = await tryToCreate(name, item);
            await schedule.step();
            // Only this read may fail, as it does where the connection broke since.
            const fails = schedule.rarely(10) || connection.isBroken;
            return { created, floor: fails ? undefined : await database.engine.floor() };
          }, false),
      }),
      ...(session !== undefined && { barrier: () => call(async () => session.wrote()) }),
      read: (name) => call(() => reads.read(name)),
      entries: (after, limit) => call(() => reads.entries(after, limit)),
      floor: () => call(() => reads.floor()),
      raiseFloor: (to) => call(() => database.raiseFloor(to)),
      remove: (names) => call(() => database.remove(names)),
      firstAfter: (revision) => call(() => reads.firstAfter(revision)),
      list: (kind, upTo, limit) => call(() => database.engine.list(kind, upTo, limit)),
      newest: (kind, upTo) => call(() => database.engine.newest(kind, upTo)),
      watch: () => () => {},
      close: async () => {},
    },
  };
  return connection;
}
