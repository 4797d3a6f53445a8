/** The log of the store as the API of changes reads it. */

import type { ChangeLog, LoggedEntry, TouchedNames } from "../../api/changes/ports.ts";
import type { CommittedChange, Touched } from "../../store/port.ts";
import type { DataParts } from "../data.ts";

/** Opens the log of opened data. */
export function changeLog({ store, journal }: Pick<DataParts, "store" | "journal">): ChangeLog {
  return {
    get logId() {
      return store.logId;
    },
    get head() {
      return store.history.head;
    },
    get namesEntries() {
      return store.namesEntries?.() ?? true;
    },
    idOf: (revision) => store.history.idOf(revision),
    entries: async (after, limit) => (await store.changes(after, limit))?.map(loggedEntry),
    onEntry: (listener) => store.subscribe(listener),
    staleness: () => journal?.staleness() ?? 0,
    assertFresh: () => store.assertFresh?.(),
  };
}

function loggedEntry({ revision, id, at, change, useCases }: CommittedChange): LoggedEntry {
  const touched = useCases.flatMap((one) => one.touched ?? []);
  // Work of the service itself names nothing, though caches have to hear of it.
  const names = touched.length === 0 && change !== undefined ? { all: true } : namesOf(touched);
  return { revision, id, at, names, ids: change ?? {} };
}

/** The names of all use cases of an entry, each once. */
function namesOf(touched: readonly Touched[]): TouchedNames {
  if (touched.some(({ all }) => all === true)) return { all: true };
  const names = (kind: "users" | "groups" | "policies" | "resources") => {
    const found = new Set(touched.flatMap((one) => one[kind] ?? []));
    return found.size === 0 ? {} : { [kind]: [...found] };
  };
  return { ...names("users"), ...names("groups"), ...names("policies"), ...names("resources") };
}
