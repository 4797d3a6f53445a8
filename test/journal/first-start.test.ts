/** Nodes that start at once on an empty database: what the first one records holds for the others. */

import { afterEach, beforeEach, expect, it } from "vitest";
import type { DirectoryOptions, OpenedDirectory } from "../../src/directory/open-directory.ts";
import { KEY_PREFIX } from "../../src/directory/records/open-secrets.ts";
import { PARTITION } from "../../src/directory/records/store-partition.ts";
import { rotateSecretKey } from "../../src/directory/upkeep/rotate-key.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import {
  type Commit,
  type RecordPut,
  type ScannedRecord,
  type Store,
  withSnapshot,
} from "../../src/store/port.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { openNode, sharedBy } from "./bed.ts";

const ONE = "the key of one node, which is long enough";
const OTHER = "the key of the other node, long enough too";
const WRONG_KEY =
  /^auth\.encrypt\.secret_key is not the key that the secrets in this store were encrypted with/;

let engine: MemoryEngine;
const stores: JournalStore[] = [];
const directories: OpenedDirectory[] = [];
beforeEach(() => {
  engine = new MemoryEngine();
});
afterEach(async () => {
  for (const directory of directories.splice(0)) await directory.close();
  for (const store of stores.splice(0)) await store.close();
});

async function openStore(): Promise<JournalStore> {
  const store = await openNode(sharedBy(engine));
  stores.push(store);
  return store;
}

async function openOn(store: Store, options: Partial<DirectoryOptions>): Promise<OpenedDirectory> {
  const directory = await openDirectoryOn(store, options);
  directories.push(directory);
  return directory;
}

/** Opens directories at once, each on a node of its own: all have read the database before one writes what it found. */
async function openAtOnce(...options: readonly Partial<DirectoryOptions>[]) {
  const arrive = meeting(options.length);
  const nodes = await Promise.all(options.map(() => openStore()));
  return Promise.allSettled(nodes.map((node, index) => openOn(waiting(node, arrive), options[index]!)));
}

/** Returns what resolves once it was called so many times. */
function meeting(size: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === size) resolve();
    return promise;
  };
}

/** The store of a node that waits for the others before it names a key or a partition. */
function waiting(store: JournalStore, arrive: () => Promise<void>): JournalStore {
  const commit = async (commit: Commit): Promise<number> => {
    const isNamed = ({ key }: RecordPut) => key.startsWith(KEY_PREFIX) || key === PARTITION;
    if (commit.put?.some(isNamed) === true) await arrive();
    return store.commit(commit);
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === "commit") return commit;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const reasonsOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason as Error] : []));

async function metaOf(store: JournalStore, prefix: string): Promise<readonly ScannedRecord[]> {
  await store.catchUp();
  return withSnapshot(store, (snapshot) => snapshot.scan("meta", { prefix, limit: 100 }));
}

it("one of two nodes with different secret keys starts, and the other one is refused", async () => {
  const results = await openAtOnce({ secretKey: ONE }, { secretKey: OTHER });
  const reasons = reasonsOf(results);
  expect(reasons).toEqual([expect.objectContaining({ code: "invalid_request" })]);
  expect(reasons[0]?.message).toMatch(WRONG_KEY);
  const [key, ...more] = await metaOf(stores[0]!, KEY_PREFIX);
  expect(more).toEqual([]);
  const [sealing] = await metaOf(stores[0]!, "sealing");
  expect(JSON.parse(sealing!.value)).toEqual({ key: key!.key.slice(KEY_PREFIX.length) });
  const [winner, loser] = results[0]?.status === "fulfilled" ? [ONE, OTHER] : [OTHER, ONE];
  await openOn(await openStore(), { secretKey: winner });
  await expect(openOn(await openStore(), { secretKey: loser })).rejects.toThrow(WRONG_KEY);
});

it("two nodes whose current and previous keys are each other's both start, and seal with the same one", async () => {
  const results = await openAtOnce(
    { secretKey: ONE, previousSecretKey: OTHER },
    { secretKey: OTHER, previousSecretKey: ONE },
  );
  expect(reasonsOf(results)).toEqual([]);
  const [first, second] = directories;
  await first!.users.create({ username: "alice" });
  await first!.credentials.create("alice", { access_key_id: "K1", secret_access_key: "secret 1" });
  const follow = () => Promise.all(stores.map((store) => store.catchUp()));
  await follow();
  await second!.credentials.create("alice", { access_key_id: "K2", secret_access_key: "secret 2" });
  await follow();
  for (const { credentials } of directories) {
    expect((await credentials.getWithSecret("K1")).secret_access_key).toBe("secret 1");
    expect((await credentials.getWithSecret("K2")).secret_access_key).toBe("secret 2");
  }
  expect(await metaOf(stores[0]!, KEY_PREFIX)).toHaveLength(1);
});

it("many nodes with one secret key all start", async () => {
  const same = Array.from({ length: 5 }, () => ({ secretKey: ONE }));
  expect(reasonsOf(await openAtOnce(...same))).toEqual([]);
  expect(await metaOf(stores[0]!, KEY_PREFIX)).toHaveLength(1);
});

it("one of two nodes with different partitions starts, and the other one is refused", async () => {
  const results = await openAtOnce({ partition: "svc" }, { partition: "acme" });
  const [winner, loser] = results[0]?.status === "fulfilled" ? ["svc", "acme"] : ["acme", "svc"];
  const refused = new RegExp(`^authorizer.partition is "${loser}", but this store was made with "${winner}"`);
  expect(reasonsOf(results)).toEqual([expect.objectContaining({ code: "invalid_request" })]);
  expect(reasonsOf(results)[0]?.message).toMatch(refused);
  expect((await metaOf(stores[0]!, PARTITION)).map(({ value }) => JSON.parse(value))).toEqual([
    { partition: winner },
  ]);
  const late = await openStore();
  const { head } = late.history;
  await expect(openOn(late, { partition: loser! })).rejects.toThrow(refused);
  await late.catchUp();
  expect(late.history.head).toEqual(head);
  await openOn(await openStore(), { partition: winner! });
});

it("nodes that find a database of an earlier version agree on its partition", async () => {
  await openOn(await openStore(), {});
  await stores[0]!.commit({ delete: [{ partition: "meta", key: PARTITION }] });
  const results = await openAtOnce({ partition: "svc" }, { partition: "acme" });
  expect(reasonsOf(results)).toEqual([expect.objectContaining({ code: "invalid_request" })]);
  const [winner] = results[0]?.status === "fulfilled" ? ["svc"] : ["acme"];
  expect((await metaOf(stores[0]!, PARTITION)).map(({ value }) => JSON.parse(value))).toEqual([
    { partition: winner },
  ]);
});

it("a node that starts while the key is rotated follows the log, and writes the partition all the same", async () => {
  await openOn(await openStore(), { secretKey: ONE });
  await stores[0]!.commit({ delete: [{ partition: "meta", key: PARTITION }] });
  const node = await openStore();
  // The rotation comes between what the start reads and what it writes.
  const rotate = () => rotateSecretKey({ store: stores[0]!, oldKey: ONE, newKey: OTHER, now: () => 1 });
  let rotated: Promise<void> | undefined;
  const arrive = () => {
    rotated ??= rotate().then(() => undefined);
    return rotated;
  };
  const directory = await openOn(waiting(node, arrive), { secretKey: ONE, previousSecretKey: OTHER });
  await directory.health();
  await directory.users.create({ username: "alice" });
  await directory.credentials.create("alice", { access_key_id: "K1", secret_access_key: "secret 1" });
  expect(await metaOf(node, PARTITION)).toHaveLength(1);
  const after = await openOn(await openStore(), { secretKey: OTHER });
  expect((await after.credentials.getWithSecret("K1")).secret_access_key).toBe("secret 1");
});

it("a program that finds no layout overwrites none that a newer one wrote meanwhile", async () => {
  const node = await openStore();
  const { commit } = node;
  const newer = { partition: "meta", key: "layout", value: JSON.stringify({ layout: 1_000 }) };
  node.commit = async (asked) => {
    node.commit = commit;
    await node.commit({ put: [newer] });
    return node.commit(asked);
  };
  await expect(openOn(node, {})).rejects.toThrow("has layout 1000, this program knows up to");
  expect(await metaOf(node, "layout")).toMatchObject([{ value: newer.value }]);
});
