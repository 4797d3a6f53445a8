/** A copy is made anew from its own log only, also where the database is replaced meanwhile (spec/journal §3). */

import { afterEach, expect, it } from "vitest";
import type { Engine } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { rebuild } from "../../src/journal/rebuild.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openNode, sharedBy } from "./bed.ts";

const nodes: JournalStore[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
});

/** A database with a log of one entry, and the id of that. */
async function oneEntry(): Promise<{ readonly engine: MemoryEngine; readonly log: string }> {
  const engine = new MemoryEngine();
  const node = await openNode(sharedBy(engine));
  nodes.push(node);
  await node.commit({ put: [{ partition: "things", key: "k", value: "x" }] });
  return { engine, log: node.history.head.id };
}

/** A database that another one takes the place of when entries are read. */
function replacedAtEntries(first: Engine, then: Engine): Engine {
  let now = first;
  return {
    ...sharedBy(first),
    read: (name) => now.read(name),
    floor: () => now.floor(),
    newest: (kind, upTo) => now.newest(kind, upTo),
    list: (kind, upTo, limit) => now.list(kind, upTo, limit),
    entries: (after, limit) => {
      now = then;
      return now.entries(after, limit);
    },
  };
}

it.each([
  ["another log", async () => (await oneEntry()).engine, "other_log"],
  ["an empty database", async () => new MemoryEngine(), "no_log"],
] as const)("keeps the copy where %s takes the place of its log", async (_, replacement, kind) => {
  const { engine, log } = await oneEntry();
  const replica = openMemoryStore({ isReplica: true });
  let taken = false;
  const { beside } = replica;
  replica.beside = async () => {
    const state = await beside.call(replica);
    return {
      fill: (...given) => state.fill(...given),
      apply: (...given) => state.apply(...given),
      discard: () => state.discard(),
      take: () => {
        taken = true;
        return state.take();
      },
    };
  };
  const parts = { engine: replacedAtEntries(engine, await replacement()), replica, assertKnown: () => {} };
  await expect(rebuild(parts, log)).rejects.toMatchObject({ kind });
  expect(taken).toBe(false);
});
