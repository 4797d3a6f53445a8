/** Nodes over one engine, as the tests of the journal use them. */

import type { Engine } from "../../src/journal/engine.ts";
import type { JournalOptions } from "../../src/journal/journal-options.ts";
import type { JournalSettings } from "../../src/journal/journal-settings.ts";
import { type JournalStore, openJournal } from "../../src/journal/journal-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

export const SETTINGS: JournalSettings = {
  pollMs: 20,
  maxStalenessMs: 5_000,
  commitTimeoutMs: 20_000,
  checkpointEvery: 10_000,
  keepMs: 0,
};

/** A connection that can be cut. */
export interface Cable {
  cut: boolean;
}

/** An engine over another whose `close` leaves that as it is, and that cannot be read while its cable is cut. */
export function sharedBy(engine: Engine, cable: Cable = { cut: false }): Engine {
  const assertWhole = () => {
    if (cable.cut) throw new Error("the connection was cut");
  };
  return {
    budgets: engine.budgets,
    get restMs() {
      return engine.restMs;
    },
    ...(engine.pollsPerSecond !== undefined && { pollsPerSecond: engine.pollsPerSecond }),
    ...(engine.lookMs !== undefined && { lookMs: engine.lookMs }),
    ...(engine.look !== undefined && {
      look: async (revision) => {
        assertWhole();
        return engine.look!(revision);
      },
    }),
    ...(engine.barrier !== undefined && { barrier: () => engine.barrier!() }),
    create: (name, item) => engine.create(name, item),
    ...(engine.createAndFloor !== undefined && {
      createAndFloor: (name, item) => engine.createAndFloor!(name, item),
    }),
    read: async (name) => {
      assertWhole();
      return engine.read(name);
    },
    entries: async (after, limit) => {
      assertWhole();
      return engine.entries(after, limit);
    },
    floor: async () => {
      assertWhole();
      return engine.floor();
    },
    raiseFloor: (to) => engine.raiseFloor(to),
    remove: (names) => engine.remove(names),
    firstAfter: (revision) => engine.firstAfter(revision),
    list: (kind, upTo, limit) => engine.list(kind, upTo, limit),
    newest: (kind, upTo) => engine.newest(kind, upTo),
    isCrowded: async () => (await engine.isCrowded?.()) === true,
    watch: (listener) => engine.watch(listener),
    close: async () => {},
  };
}

/** Opens a node. */
export function openNode(
  engine: Engine,
  settings: Partial<JournalSettings> = {},
  options: Partial<JournalOptions> = {},
): Promise<JournalStore> {
  return openJournal({
    engine,
    replica: openMemoryStore({ isReplica: true }),
    settings: { ...SETTINGS, ...settings },
    ...options,
  });
}
