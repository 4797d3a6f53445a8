/** The search for the place of a copy, while other nodes write checkpoints and remove what is below them (spec/journal §4.1). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newestCheckpoint } from "../../src/journal/checkpoints.ts";
import { checkpointName, type Engine, entryName, NothingDone } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { type CopyPlace, findLog, findPlace } from "../../src/journal/place-in-log.ts";
import { decodeHead } from "../../src/store/log-entry.ts";
import { openNode, sharedBy } from "./bed.ts";

const NEVER_MS = 86_400_000;

describe("the place of a copy is found", () => {
  let database: MemoryEngine;
  let store: JournalStore;
  let place: CopyPlace;
  beforeEach(async () => {
    database = new MemoryEngine();
    store = await openNode(database, { pollMs: NEVER_MS });
    await commit();
    const { id } = decodeHead((await database.read(entryName(1)))!);
    place = { revision: 1, lastId: id, log: id };
  });
  afterEach(() => store.close());

  const commit = () => store.commit({ put: [{ partition: "things", key: "a", value: "v" }] });

  /** The database, where something is done after the first look for the newest checkpoint. */
  const changedBy = (work: () => Promise<void>): Engine => {
    const engine = sharedBy(database);
    let isDone = false;
    engine.newest = async (kind, upTo) => {
      const found = await database.newest(kind, upTo);
      if (!isDone) {
        isDone = true;
        await work();
      }
      return found;
    };
    return engine;
  };

  it("behind, where the newest checkpoint was removed for a newer one before it was read", async () => {
    await commit();
    await store.checkpoint();
    const engine = changedBy(async () => {
      await commit();
      await store.checkpoint();
    });
    expect(await findPlace(engine, place)).toEqual({ place: "behind" });
  });

  it("where the first checkpoint was made, and the beginning removed, after none was found", async () => {
    expect(await findLog(changedBy(() => store.checkpoint()))).toBe(place.log);
  });

  it("nowhere, and nobody is told of a loss, where every checkpoint is removed before it is read", async () => {
    await store.checkpoint();
    const engine = sharedBy(database);
    engine.read = async () => undefined;
    for (const looked of [newestCheckpoint(engine, 0), findPlace(engine, place), findLog(engine)]) {
      await expect(looked).rejects.toThrow(/removed again and again/);
      await expect(looked).rejects.toMatchObject({ name: NothingDone.name });
    }
    expect(await database.read(checkpointName(1))).toBeDefined();
  });
});
