/** A database in memory that is put back to an earlier moment. */

import type { Engine, ItemKind } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";

const KINDS: readonly ItemKind[] = ["entry", "part", "checkpoint", "piece"];
const ALL = Number.MAX_SAFE_INTEGER;

/** An engine that is put back to how it was at {@link save}; its connections break then. */
export function restorable() {
  let current = new MemoryEngine({ entry: 2_000, part: 1_000 });
  let saved = current;
  const listeners = new Set<(revision?: number) => void>();
  const engine: Engine = {
    budgets: current.budgets,
    create: (name, item) => current.create(name, item),
    read: (name) => current.read(name),
    entries: (after, limit) => current.entries(after, limit),
    floor: () => current.floor(),
    raiseFloor: (to) => current.raiseFloor(to),
    remove: (names) => current.remove(names),
    firstAfter: (revision) => current.firstAfter(revision),
    list: (kind, upTo, limit) => current.list(kind, upTo, limit),
    newest: (kind, upTo) => current.newest(kind, upTo),
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {},
  };
  const save = async () => {
    saved = new MemoryEngine(current.budgets);
    for (const kind of KINDS) {
      for (const name of await current.list(kind, ALL, ALL))
        await saved.create(name, (await current.read(name))!);
    }
  };
  const putBack = () => {
    current = saved;
    for (const listener of listeners) listener();
  };
  return { engine, save, putBack };
}
