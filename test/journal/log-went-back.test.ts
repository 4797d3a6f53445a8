/** A database that lost acknowledged entries while a node used it (spec/journal §3.2), on PostgreSQL. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Engine, entryName } from "../../src/journal/engine.ts";
import { openPostgresEngine } from "../../src/journal/engines/postgres.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { readRecord } from "../../src/store/read-record.ts";
import { openedOnce } from "../opened.ts";
import { openNode } from "./bed.ts";
import { postgresBin, startPostgres } from "./postgres-cluster.ts";

const P = "things";
/** As the database of a standby does that was behind: the newest entries are gone. */
const LOSE = "DELETE FROM svc_authorizer_entry WHERE number > 2";
const BREAK =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc-authorizer'";

describe.skipIf(postgresBin() === undefined)("PostgreSQL that lost acknowledged entries", () => {
  const cluster = openedOnce(() => startPostgres());
  let database: string;
  let engine: Engine;
  let store: JournalStore;
  beforeEach(async () => {
    database = await cluster.newDatabase();
    engine = await openPostgresEngine({
      connectionString: database,
      maxOpenConnections: 5,
      maxIdleConnections: 5,
      connectionMaxLifetimeMs: 300_000,
      statementTimeoutMs: 2_000,
      warn: () => undefined,
    });
    store = await openNode(engine, { commitTimeoutMs: 5_000 });
    for (const key of ["a", "b", "c", "d"]) await put(key);
  });
  afterEach(() => store.close());

  const put = (key: string) => store.commit({ put: [{ partition: P, key, value: "x" }] });
  const sqlIn = (sql: string) => cluster.query(sql, database.split("/").at(-1));
  const keys = () =>
    withSnapshot(store, async (snapshot) => (await snapshot.scan(P, { limit: 100 })).map(({ key }) => key));
  const acknowledged = (key: string) =>
    put(key).then(
      () => true,
      () => false,
    );
  /** Revisions of the entries that the database has. */
  const inLog = async () => {
    const found = await engine.list("entry", 1_000, 1_000);
    return found.map(({ number }) => number);
  };

  it("is noticed when the connections break, though no call fails", async () => {
    await expect.poll(() => engine.restMs).toBe(500);
    await sqlIn(LOSE);
    await sqlIn(BREAK);
    await expect.poll(() => store.counters.rewound).toBe(1);
    await expect.poll(keys).toEqual(["a", "b"]);
  });

  it("gets no entry behind the lost ones: a change that comes with the break", async () => {
    // What is sent together is one transaction: a node that is faster than its end would still see the lost entries.
    await sqlIn(`BEGIN; ${LOSE}; COMMIT; ${BREAK}`);
    const outcomes = await Promise.all(["e", "f"].map(acknowledged));
    await expect.poll(() => store.counters.rewound).toBe(1);
    await expect.poll(() => acknowledged("later")).toBe(true);
    const numbers = await inLog();
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    const held = await keys();
    for (const [index, key] of ["e", "f"].entries()) if (outcomes[index]) expect(held).toContain(key);
  });

  it("gets no entry behind the lost ones: a change that was under way", async () => {
    const create = engine.createAndFloor!.bind(engine);
    engine.createAndFloor = async () => {
      engine.createAndFloor = create;
      await sqlIn(LOSE);
      throw new Error("the connection was lost");
    };
    await expect(put("e")).rejects.toMatchObject({ code: "outcome_unknown" });
    await expect.poll(() => acknowledged("later")).toBe(true);
    expect(await inLog()).toEqual([1, 2, 3]);
    expect(await keys()).toEqual(["a", "b", "later"]);
    expect(store.counters.rewound).toBe(1);
  });

  it("takes no change that was decided on what was lost, whoever noticed the loss, also when the log is as long again", async () => {
    const decide = async (key: string) => {
      const snapshot = await store.snapshot();
      const { revision, base } = snapshot;
      const [found, ...others] = await snapshot.scan(P, { prefix: key, limit: 2 });
      expect([found?.key, others]).toEqual([key, []]);
      snapshot.release();
      const reads = { revision, base, keys: new Map([[P, new Set([key])]]), ranges: [] };
      return store.commit.bind(store, { reads, put: [{ partition: P, key: `since ${key}`, value: "x" }] });
    };
    const [onKept, onLost] = [await decide("a"), await decide("d")];
    await sqlIn(LOSE);
    await sqlIn(BREAK);
    await expect.poll(() => store.counters.rewound).toBe(1);
    // The broken connections are made anew.
    await expect.poll(() => acknowledged("e")).toBe(true);
    await expect(onLost()).rejects.toMatchObject({ code: "conflict" });
    await expect(onKept()).rejects.toMatchObject({ code: "conflict" });
    for (const key of ["f", "g"]) await put(key);
    await expect(onLost()).rejects.toMatchObject({ code: "conflict" });
    await (await decide("a"))();
    expect(await keys()).toEqual(["a", "b", "e", "f", "g", "since a"]);
  });

  it("takes no change that expects a record of what was lost, though one of the same version is in its place", async () => {
    const name = { partition: P, key: "d" };
    const { stored: lost, unchanged } = await readRecord(store, name);
    const write = { expect: [unchanged], put: [{ ...name, value: "derived from what was lost" }] };
    await sqlIn(LOSE);
    await sqlIn(BREAK);
    await expect.poll(() => store.counters.rewound).toBe(1);
    await expect.poll(() => acknowledged("e")).toBe(true);
    await store.commit({ put: [{ ...name, value: "another" }] });
    const { stored } = await readRecord(store, name);
    expect(stored).toEqual({ value: "another", version: lost?.version });
    await expect(store.commit(write)).rejects.toMatchObject({ code: "conflict" });
    await expect(store.commit({ expect: [unchanged] })).rejects.toMatchObject({ code: "conflict" });
  });

  it("is noticed by a poll that waited while the one before it failed", async () => {
    const entries = engine.entries.bind(engine);
    engine.entries = async () => {
      engine.entries = entries;
      await engine.remove([entryName(3), entryName(4)]);
      throw new Error("the connection was lost");
    };
    await Promise.allSettled([store.catchUp(), store.catchUp()]);
    expect(store.counters.rewound).toBe(1);
    expect(await keys()).toEqual(["a", "b"]);
  });
});
