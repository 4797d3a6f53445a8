import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Engine, entryName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openPostgresEngine } from "../../src/journal/engines/postgres.ts";
import { acceptLog, guardedLogs } from "../../src/journal/guard.ts";
import type { JournalOptions } from "../../src/journal/journal-options.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { openPrivateReplica } from "../../src/store/local/private-replica.ts";
import { LOG_FORMAT } from "../../src/store/log-entry.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { describeStoreContract } from "../contract/store-contract.ts";
import { openNode, sharedBy } from "./bed.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "./postgres-cluster.ts";

const P = "things";

describeStoreContract("journal over memory, with the copy in a folder", async () => {
  const engine = new MemoryEngine();
  const parent = mkdtempSync(join(tmpdir(), "replica-"));
  const path = join(parent, "copy");
  const open = async () => openNode(sharedBy(engine), {}, { replica: await openLocalReplica({ path }) });
  let store = await open();
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await open();
      return store;
    },
    close: async () => {
      await store.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
});

describe("a copy in a folder", () => {
  let parent: string;
  let path: string;
  let shared: MemoryEngine;
  let asked: number;
  let nodes: JournalStore[];
  let errors: string[];
  let infos: string[];
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "replica-"));
    path = join(parent, "copy");
    shared = new MemoryEngine();
    nodes = [];
    errors = [];
    infos = [];
    asked = 0;
  });
  afterEach(async () => {
    for (const node of nodes) await node.close();
    rmSync(parent, { recursive: true, force: true });
  });

  const log = {
    info: (_: object, message: string) => void infos.push(message),
    error: (_: object, message: string) => void errors.push(message),
  };
  /** Counts the entries and pieces that are read. */
  const counted = (engine: Engine): Engine => ({
    ...sharedBy(engine),
    entries: async (after, limit) => {
      const page = await engine.entries(after, limit);
      asked += page.entries.length;
      return page;
    },
  });
  const open = async (
    engine: Engine = shared,
    bootId: string | undefined = "boot",
    options: Partial<JournalOptions> = {},
  ): Promise<JournalStore> => {
    const replica = await openLocalReplica({ path, log, bootId });
    const node = await openNode(counted(engine), {}, { replica, log, ...options });
    nodes.push(node);
    return node;
  };
  const put = (node: JournalStore, key: string, value = "x") =>
    node.commit({ put: [{ partition: P, key, value }] });
  const keysOf = (node: JournalStore) =>
    withSnapshot(node, async (snapshot) =>
      (await snapshot.scan(P, { limit: 10_000 })).map(({ key, version }) => `${version} ${key}`),
    );

  it("goes on where it was closed, and reads only what is new", async () => {
    const before = await open();
    for (const key of ["a", "b", "c"]) await put(before, key);
    await before.close();
    const beside = await openNode(sharedBy(shared));
    await put(beside, "d");
    asked = 0;
    const after = await open();
    expect(asked).toBe(1);
    expect(await keysOf(after)).toEqual(["1 a", "2 b", "3 c", "4 d"]);
    expect(after.logId).toBe(beside.logId);
    await put(after, "e");
    await beside.catchUp();
    expect(await keysOf(beside)).toEqual(await keysOf(after));
    await beside.close();
  });

  it("is used by one node at a time", async () => {
    await open();
    await expect(openLocalReplica({ path })).rejects.toThrow(/in use by/);
  });

  it("is made anew, with an error, when it is damaged", async () => {
    const before = await open();
    for (const key of ["a", "b"]) await put(before, key);
    await before.close();
    const copy = readdirSync(path).find((name) => name.startsWith("copy-"))!;
    truncateSync(join(path, copy, "data.mdb"), 5_000);
    const after = await open();
    expect(errors).toEqual([expect.stringContaining("damaged: it is made anew")]);
    expect(await keysOf(after)).toEqual(["1 a", "2 b"]);
    expect(existsSync(join(path, copy))).toBe(false);
  });

  it("is made anew after another boot of the machine, unless it was closed before", async () => {
    const first = await open(shared, "boot 1");
    await put(first, "a");
    await first.close();
    asked = 0;
    const second = await open(shared, "boot 2");
    expect(asked).toBe(0);
    expect(await keysOf(second)).toEqual(["1 a"]);
    await second.close();
    expect(infos.filter((text) => text.includes("machine went down"))).toEqual([]);
  });

  it("stays as it is when the database has another log, until a command says that nodes go over", async () => {
    const before = await open();
    for (const key of ["a", "b", "c"]) await put(before, key);
    const from = before.history.head.log;
    await before.close();
    const other = new MemoryEngine();
    const theirs = await openNode(sharedBy(other));
    for (const key of ["x", "y", "z"]) await put(theirs, key);
    const waiting = await open(other);
    expect(await keysOf(waiting)).toEqual(["1 a", "2 b", "3 c"]);
    expect(waiting.copyState?.()).toMatchObject({ kind: "other_log", hasContact: false });
    await expect(put(waiting, "d")).rejects.toMatchObject({ code: "unavailable" });
    expect(await guardedLogs(other)).toEqual([from]);
    await waiting.close();
    await acceptLog(other, from, theirs.history.head.log);
    const after = await open(other);
    expect(after.counters.rewound).toBe(1);
    expect(await keysOf(after)).toEqual(["1 x", "2 y", "3 z"]);
    expect(await guardedLogs(other)).toEqual([]);
    await theirs.close();
  });

  it("stays as it is when the database has another log whose entries are gone", async () => {
    const before = await open();
    await put(before, "a");
    await before.close();
    const other = new MemoryEngine();
    const theirs = await openNode(sharedBy(other));
    await put(theirs, "x");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await theirs.checkpoint();
    expect(await other.read(entryName(1))).toBeUndefined();
    const after = await open(other);
    expect(await keysOf(after)).toEqual(["1 a"]);
    await theirs.close();
  });

  it("is made anew when the log lost what it has", async () => {
    const before = await open();
    for (const key of ["a", "b"]) await put(before, key);
    await before.close();
    await shared.remove([entryName(2)]);
    const after = await open();
    expect(after.counters.rewound).toBe(1);
    expect(errors).toEqual([expect.stringContaining("lost commits that were acknowledged")]);
    expect(await keysOf(after)).toEqual(["1 a"]);
  });

  it("is made anew when the log lost what it has and was trimmed at that very revision", async () => {
    const before = await open();
    for (const key of ["a", "b"]) await put(before, key);
    await before.close();
    await shared.remove([entryName(2)]);
    const beside = await openNode(sharedBy(shared));
    await put(beside, "c");
    await beside.history.forgetPast();
    expect(await shared.floor()).toBe(2);
    const after = await open();
    expect(await keysOf(after)).toEqual(["1 a", "2 c"]);
    expect(after.counters.rewound).toBe(1);
    await put(beside, "d");
    await after.catchUp();
    expect(await keysOf(after)).toEqual(["1 a", "2 c", "3 d"]);
    await beside.close();
  });

  it("takes the format of a log that was trimmed up to it: a newer node raises nothing by itself", async () => {
    const older = await openNode(sharedBy(shared));
    await put(older, "a");
    const before = await open();
    await before.close();
    await older.history.forgetPast();
    expect(await shared.floor()).toBe(1);
    const newer = await open(shared, "boot", { knownFormat: LOG_FORMAT + 1 });
    await put(newer, "b");
    await older.catchUp();
    expect(await keysOf(older)).toEqual(["1 a", "2 b"]);
    await older.close();
  });

  it("loads a checkpoint while snapshots of the state before are read, and frees that state afterwards", async () => {
    const node = await open();
    await put(node, "a", "old");
    const snapshot = await node.snapshot();
    const beside = await openNode(sharedBy(shared));
    const cut = { cut: false };
    const follower = await openNode(
      sharedBy(shared, cut),
      {},
      { replica: await openLocalReplica({ path: join(parent, "follower") }) },
    );
    const early = await follower.snapshot();
    cut.cut = true;
    await put(beside, "a", "new");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await beside.checkpoint();
    cut.cut = false;
    await follower.catchUp();
    expect((await early.get(P, "a"))?.value).toBe("old");
    const copies = () =>
      readdirSync(join(parent, "follower")).filter((name) => name.startsWith("copy-")).length;
    expect(copies()).toBe(2);
    early.release();
    await expect.poll(copies).toBe(1);
    expect(await withSnapshot(follower, async (it) => (await it.get(P, "a"))?.value)).toBe("new");
    expect((await snapshot.get(P, "a"))?.value).toBe("old");
    snapshot.release();
    await follower.close();
    await beside.close();
  });

  it("carries the ids of entries over restarts, and into checkpoints", async () => {
    const before = await open();
    for (const key of ["a", "b", "c"]) await put(before, key);
    await before.close();
    const after = await open();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await after.checkpoint();
    const [piece] = await shared.list("piece", 10, 1);
    const ids = JSON.parse(String(await shared.read(piece!))) as [number, string][];
    expect(ids.map(([revision]) => revision)).toEqual([1, 2, 3]);
  });

  it("applies an entry of any size without holding up others for long", async () => {
    // The node follows when it is told to, and not while the entry is being written.
    const deaf = { ...sharedBy(shared), watch: () => () => undefined };
    const replica = await openLocalReplica({ path });
    const node = await openNode(deaf, { pollMs: 3_600_000 }, { replica, log });
    nodes.push(node);
    const beside = await openNode(sharedBy(shared));
    const large = Array.from({ length: 40_000 }, (_, index) => ({
      partition: P,
      key: `k${String(index).padStart(6, "0")}`,
      value: "x".repeat(200),
    }));
    // Each tick is a turn of the event loop in which others are served.
    let ticks = 0;
    let isCounting = true;
    const tick = (): void => {
      ticks += 1;
      if (isCounting) setImmediate(tick);
    };
    await beside.commit({ put: large });
    const caughtUp = node.catchUp();
    tick();
    await caughtUp;
    isCounting = false;
    expect(node.revision).toBe(1);
    expect(ticks).toBeGreaterThan(5);
    await beside.close();
  });

  it("goes with the process where no folder is named", async () => {
    const before = new Set(readdirSync(tmpdir()));
    const replica = await openPrivateReplica();
    const own = readdirSync(tmpdir()).filter(
      (name) => name.startsWith(`svc-authorizer-replica-${process.pid}-`) && !before.has(name),
    );
    expect(own).toHaveLength(1);
    await replica.close();
    expect(existsSync(join(tmpdir(), own[0]!))).toBe(false);
  });
});

describe.skipIf(postgresBin() === undefined)("on PostgreSQL, a copy in a folder", () => {
  let cluster: PostgresCluster;
  let parent: string;
  beforeAll(async () => {
    cluster = await startPostgres();
    parent = mkdtempSync(join(tmpdir(), "replica-"));
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(parent, { recursive: true, force: true });
  });

  it("goes on after a kill at any moment, and is the same as one that was there all the time", async () => {
    const connectionString = await cluster.newDatabase();
    const engine = await openPostgresEngine({
      connectionString,
      maxOpenConnections: 5,
      maxIdleConnections: 5,
      connectionMaxLifetimeMs: 300_000,
      statementTimeoutMs: 5_000,
      warn: () => {},
    });
    const writer = await openNode(engine);
    const path = join(parent, "copy");
    let stop = false;
    const writing = (async () => {
      for (let number = 0; !stop; number++) {
        const put = [{ partition: P, key: `k${number % 50}`, value: String(number) }];
        await writer.commit({ put });
      }
    })();
    const began: number[] = [];
    for (let round = 0; round < 5; round++) {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, "follow-until-killed.ts"), connectionString, path],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const lines = createInterface({ input: child.stdout! });
      let printed = 0;
      await new Promise<void>((resolve) => {
        lines.on("line", (line) => {
          if (printed++ === 0) began.push(Number(line));
          if (printed > 20 + 30 * Math.random()) resolve();
        });
      });
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    stop = true;
    await writing;
    const replica = await openLocalReplica({ path });
    const { revision } = replica.position!();
    expect(began.toSorted((a, b) => a - b)).toEqual(began);
    expect(revision).toBeGreaterThan(began.at(-1)!);
    const node = await openNode(sharedBy(engine), {}, { replica });
    const state = (store: JournalStore) =>
      withSnapshot(store, (snapshot) => snapshot.scan(P, { limit: 1_000 }));
    await node.catchUp();
    expect(await state(node)).toEqual(await state(writer));
    await node.close();
    await writer.close();
  });
});
