/** Proofs that a copy is the newest: answers without a commit rest on them (spec/journal §2.8). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { afterEach, describe, expect, it } from "vitest";
import { type Engine, entryName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { lookAt } from "../../src/journal/look.ts";
import { decodeHead } from "../../src/store/log-entry.ts";
import type { Commit } from "../../src/store/port.ts";
import { type Cable, openNode, sharedBy } from "./bed.ts";

const P = "things";
const put = (key: string, value = "x"): Commit => ({ put: [{ partition: P, key, value }] });

/** An engine whose reads are counted, and that tells of nothing, so that a node hears only of what it asks. */
function counted(engine: Engine, cable?: Cable): { engine: Engine; reads: () => number } {
  let reads = 0;
  const shared = sharedBy(engine, cable);
  const read: Engine["read"] = (name) => {
    reads += 1;
    return shared.read(name);
  };
  return { engine: { ...shared, read, watch: () => () => {} }, reads: () => reads };
}

const open: JournalStore[] = [];

async function twoNodes(cable?: Cable) {
  const log = new MemoryEngine();
  const writer = await openNode(sharedBy(log), { pollMs: 60_000 });
  await writer.commit(put("first"));
  const { engine, reads } = counted(log, cable);
  const node = await openNode(engine, { pollMs: 60_000, commitTimeoutMs: 300 });
  open.push(writer, node);
  return { log, writer, node, reads };
}

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

/** Holds the reads of an engine back until they are let go. */
function gate(engine: Engine) {
  let held = Promise.resolve();
  let free: () => void = () => {};
  const read = engine.read.bind(engine);
  let asked = 0;
  engine.read = async (name) => {
    asked += 1;
    await held;
    return read(name);
  };
  return {
    hold: () => {
      ({ promise: held, resolve: free } = Promise.withResolvers<void>());
    },
    free: () => free(),
    asked: () => asked,
  };
}

describe("prove", () => {
  it("resolves when the copy holds what others committed before the call", async () => {
    const { writer, node } = await twoNodes();
    for (let round = 0; round < 20; round++) {
      const revision = await writer.commit(put("k", String(round)));
      await node.prove();
      expect(node.revision).toBeGreaterThanOrEqual(revision);
    }
  });

  it("fails with 503 where the connection is cut, from the first call on", async () => {
    const cable = { cut: false };
    const { node } = await twoNodes(cable);
    await node.prove();
    cable.cut = true;
    const failure: unknown = await node.prove().catch((error: unknown) => error);
    expect(isErrorCode(failure, "unavailable")).toBe(true);
    expect(failure).toMatchObject({ retryAfterSeconds: 1 });
  });

  it("fails with 503 where the database does not answer within the time of a commit", async () => {
    const { log, node } = await twoNodes();
    const gated = gate(log);
    gated.hold();
    const failure: unknown = await node.prove().catch((error: unknown) => error);
    expect(isErrorCode(failure, "unavailable")).toBe(true);
    gated.free();
  });

  it("is not given by a read that was sent before the call", async () => {
    const { log, writer, node } = await twoNodes();
    const gated = gate(log);
    gated.hold();
    const early = node.prove();
    await expect.poll(() => gated.asked()).toBeGreaterThan(0);
    // The answer to the first look is on its way: it says nothing about this one.
    gated.free();
    const revision = await writer.commit(put("later"));
    await Promise.all([early, node.prove()]);
    expect(node.revision).toBeGreaterThanOrEqual(revision);
  });

  it("is shared: of many who ask together, one look is under way and one waits", async () => {
    const { node, reads } = await twoNodes();
    const before = reads();
    await Promise.all(Array.from({ length: 400 }, (_, index) => node.prove(`caller ${index}`)));
    // Three reads each.
    expect(reads() - before).toBeLessThanOrEqual(2 * 3);
  });

  it("lets 1,000 wait, and half of them from one caller", async () => {
    const { log, node } = await twoNodes();
    const gated = gate(log);
    gated.hold();
    const results = (count: number, caller: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => node.prove(caller(index)).then(() => "", String));
    const greedy = results(501, () => "greedy");
    expect(await greedy.at(-1)).toMatch(/too many/i);
    const others = results(501, (index) => `other ${index}`);
    expect(await others.at(-1)).toMatch(/too many/i);
    gated.free();
    expect(
      (await Promise.all([...greedy.slice(0, -1), ...others.slice(0, -1)])).every((text) => text === ""),
    ).toBe(true);
  });

  it("does not take an entry that was written in place of a lost one for the own one", async () => {
    const { log, writer, node } = await twoNodes();
    await writer.commit(put("second"));
    await node.prove();
    const { revision } = node;
    // The database was put back to before the newest entry, without a word, and something else was written there.
    await log.remove([entryName(revision)]);
    const fresh = await openNode(sharedBy(log), { pollMs: 60_000 });
    open.push(fresh);
    await fresh.commit(put("else"));
    await node.prove();
    const snapshot = await node.snapshot();
    const found = await Promise.all(["second", "else"].map((key) => snapshot.get(P, key)));
    snapshot.release();
    expect(found.map((record) => record !== undefined)).toEqual([false, true]);
  });
});

describe("a look", () => {
  it("reads the next entry before the own one: a log that goes back in between is not taken for the copy's", async () => {
    const log = new MemoryEngine();
    const writer = await openNode(sharedBy(log), { pollMs: 60_000 });
    open.push(writer);
    for (const key of ["a", "b", "c"]) await writer.commit(put(key));
    const { id } = decodeHead((await log.read(entryName(2)))!);
    const shared = sharedBy(log);
    let reads = 0;
    const engine: Engine = {
      ...shared,
      read: async (name) => {
        const item = await shared.read(name);
        // The database is put back to its first entry between the first read and the second.
        if (++reads === 1) await log.remove([entryName(2), entryName(3)]);
        return item;
      },
    };
    expect(await lookAt(engine, { revision: 2, id })).not.toBe("newest");
  });
});

describe("a commit without writes", () => {
  const readOf = async (store: JournalStore, key: string): Promise<Commit> => {
    const snapshot = await store.snapshot();
    const { revision, base } = snapshot;
    snapshot.release();
    return { reads: { revision, base, keys: new Map([[P, new Set([key])]]), ranges: [] } };
  };

  it("fails where another node has written what it read", async () => {
    const { writer, node } = await twoNodes();
    const check = await readOf(node, "k");
    await writer.commit(put("k"));
    await expect(node.commit(check)).rejects.toMatchObject({ code: "conflict" });
    await expect(node.commit(await readOf(node, "k"))).resolves.toBe(2);
  });

  it("resolves with the revision of the state where another node has written something else", async () => {
    const { writer, node } = await twoNodes();
    const check = await readOf(node, "k");
    const revision = await writer.commit(put("other"));
    await expect(node.commit(check)).resolves.toBe(revision);
  });

  it("is proved by a commit of the node that is sent after it came, without a look", async () => {
    const { log, node } = await twoNodes();
    const gated = gate(log);
    gated.hold();
    const check = node.commit(await readOf(node, "k"));
    await expect.poll(() => gated.asked()).toBeGreaterThan(0);
    const revision = await node.commit(put("own"));
    // The look is held back still.
    expect(await check).toBe(revision);
    gated.free();
  });
});
