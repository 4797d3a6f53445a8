/** A state in memory that is made beside the one that counts (spec/journal §3), and one that was replaced by it. */

import { Turns } from "../../schedule/turns.ts";
import type { CommittedChange, EntryWrites, VersionedRecord } from "../port.ts";
import type { EntryId, EntryName, FormerState, StateBeside, StateName } from "../replica.ts";
import type { MemoryLog } from "./memory-log.ts";
import { newTree, pagesOf, pathOf, type Tree } from "./tree.ts";

const EMPTY: StateName = { revision: 0, id: "", at: "", node: "", log: "" };

type Replace = (last: StateName, tree: Tree, recent: readonly EntryId[]) => FormerState;

/** A tree that grows until it is taken. */
export class TreeBeside implements StateBeside {
  readonly #replace: Replace;
  #ids: EntryId[] = [];
  #tree = newTree();
  #last = EMPTY;

  /** @param replace puts a tree in the place of the one that counts */
  constructor(replace: Replace) {
    this.#replace = replace;
  }

  async fill(
    last: StateName,
    records: AsyncIterable<readonly VersionedRecord[]>,
    recent: readonly EntryId[],
  ): Promise<void> {
    for await (const page of records) {
      for (const { partition, key, value, version } of page) {
        this.#tree.set(pathOf(partition, key), { value, version: String(version) });
      }
    }
    this.#last = last;
    this.#ids = [...recent];
  }

  async apply(entry: EntryName, pieces: AsyncIterable<EntryWrites>): Promise<void> {
    const turns = new Turns();
    const version = String(entry.revision);
    for await (const { put, delete: deleted } of pieces) {
      for (const { partition, key, value } of put) this.#tree.set(pathOf(partition, key), { value, version });
      for (const { partition, key } of deleted) this.#tree.delete(pathOf(partition, key));
      if (turns.spent) await turns.yield();
    }
    const { revision, id, at } = entry;
    this.#last = { revision, id, at, node: "", log: this.#last.log || id };
    this.#ids.push([revision, id]);
  }

  async take(): Promise<FormerState> {
    return this.#replace(this.#last, this.#tree, this.#ids);
  }

  async discard(): Promise<void> {
    this.#tree.clear();
  }
}

/** The state of a tree that is about to be replaced, with the entries that its log still has. */
export function formerState(tree: Tree, log: MemoryLog): FormerState {
  const { floor } = log;
  const entries = log.after(floor, Number.MAX_SAFE_INTEGER) ?? [];
  return {
    folder: undefined,
    changes: (after, limit): readonly CommittedChange[] | undefined =>
      after < floor ? undefined : entries.slice(after - floor, after - floor + limit),
    pages: () => pagesOf(tree),
    release: async () => {},
  };
}
