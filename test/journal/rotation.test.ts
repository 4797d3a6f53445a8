/** Changing the key of encryption while nodes run: the log says which key seals. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { NODES } from "../../src/directory/records/sealing.ts";
import { rotateSecretKey } from "../../src/directory/upkeep/rotate-key.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { openNode, sharedBy } from "./bed.ts";

const OLD = "the old key, which is long enough to be one";
const NEW = "the new key, which is long enough to be one";
const THIRD = "a third key, which is long enough to be one";

interface Node {
  readonly store: JournalStore;
  readonly directory: OpenedDirectory;
}

let engine: MemoryEngine;
const nodes: Node[] = [];
beforeEach(() => {
  engine = new MemoryEngine();
});
afterEach(async () => {
  for (const { store, directory } of nodes.splice(0)) {
    await directory.close();
    await store.close();
  }
});

async function start(secretKey: string, previousSecretKey?: string): Promise<Node> {
  const store = await openNode(sharedBy(engine));
  const keys = { secretKey, ...(previousSecretKey !== undefined && { previousSecretKey }) };
  const directory = await openDirectoryOn(store, keys);
  await directory.reportKeys("node-1");
  const node = { store, directory };
  nodes.push(node);
  return node;
}

async function rotate(force = false, newKey = NEW) {
  const store = await openNode(sharedBy(engine));
  try {
    return await rotateSecretKey({ store, oldKey: OLD, newKey, now: () => 1, force });
  } finally {
    await store.close();
  }
}

async function follow(): Promise<void> {
  for (const { store } of nodes) await store.catchUp();
}

const secretOf = async ({ directory }: Node, id: string) =>
  (await directory.credentials.getWithSecret(id)).secret_access_key;
const create = ({ directory }: Node, id: string) =>
  directory.credentials.create("alice", { access_key_id: id, secret_access_key: `secret of ${id}` });

it("seals with the new key on every node at once, and leaves nothing that the old one sealed", async () => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  await create(one, "K1");
  const two = await start(OLD, NEW);
  expect(await rotate()).toEqual({ outcome: "rotated", sealed: 1, verified: 1 });
  await follow();
  await create(two, "K2");
  await follow();
  for (const node of [one, two]) {
    await node.directory.health();
    for (const id of ["K1", "K2"]) expect(await secretOf(node, id)).toBe(`secret of ${id}`);
  }
  // The items are swapped, one node after the other; then the old key is dropped.
  for (const [id, previous] of [
    ["K3", OLD],
    ["K4", undefined],
  ] as const) {
    const swapped = await start(NEW, previous);
    expect(await secretOf(swapped, "K2")).toBe("secret of K2");
    await create(swapped, id);
    await follow();
    expect(await secretOf(one, id)).toBe(`secret of ${id}`);
  }
  await expect(start(OLD)).rejects.toMatchObject({ code: "invalid_request" });
  const { history } = one.store;
  const kept = await history.keptFrom();
  expect(kept).toBeGreaterThan(1);
  const oldest = await history.snapshotAt(kept);
  const [meta] = await oldest.scan("meta", { prefix: "key/", limit: 9 });
  expect((await oldest.get("key", "K1"))?.value).toContain(meta!.key.slice("key/".length));
  oldest.release();
});

it("is refused, naming it, while a node runs that lacks the new key", async () => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  const lacking = await start(OLD);
  await expect(rotate()).rejects.toThrow(/1 nodes run without the new key: [0-9a-f-]{36};/);
  await lacking.directory.close();
  expect(await rotate()).toMatchObject({ outcome: "rotated" });
});

it("looks at every node that is reported", async () => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  const [report] = await withSnapshot(one.store, (snapshot) =>
    snapshot.scan("meta", { prefix: NODES, limit: 1 }),
  );
  const meta = (name: string, value: string) => ({ partition: "meta", key: `${NODES}${name}`, value });
  const put = Array.from({ length: 600 }, (_, index) => meta(`a${1_000 + index}`, report!.value));
  await one.store.commit({ put: [...put, meta("z", JSON.stringify({ holds: [] }))] });
  await expect(rotate()).rejects.toThrow(/1 nodes run without the new key: z;/);
});

it("makes a node that lacks the new key not ready, and it seals nothing any more", async () => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  const lacking = await start(OLD);
  await rotate(true);
  await follow();
  await expect(lacking.directory.health()).rejects.toMatchObject({ code: "unavailable" });
  await expect(create(lacking, "K1")).rejects.toMatchObject({ code: "unavailable" });
  await create(one, "K1");
  expect(await secretOf(one, "K1")).toBe("secret of K1");
});

it("makes a write that sealed with the old key meanwhile run again with the new one", async () => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  let runs = 0;
  await one.directory.actingFor(
    {
      name: "somebody",
      judge: async () => {
        runs += 1;
        if (runs === 1) await rotate();
      },
    },
    () => create(one, "K1"),
  );
  expect(runs).toBe(2);
  const after = await start(NEW);
  expect(await secretOf(after, "K1")).toBe("secret of K1");
});

/** A node whose first commit comes after this. */
async function openLate(meanwhile: () => Promise<unknown>): Promise<JournalStore> {
  const store = await openNode(sharedBy(engine));
  const { commit } = store;
  let left = 1;
  store.commit = async (asked) => {
    if (left-- > 0) await meanwhile();
    return commit.call(store, asked);
  };
  return store;
}

it.each([
  ["a node comes that lacks the new key", () => start(OLD), /1 nodes run without the new key/],
  ["another rotation names a third key", () => rotate(true, THIRD), /neither the old nor the new one/],
])("is refused where %s between its look and its commit", async (_what, meanwhile, reason) => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  await create(one, "K1");
  const store = await openLate(meanwhile);
  await expect(rotateSecretKey({ store, oldKey: OLD, newKey: NEW, now: () => 1 })).rejects.toThrow(reason);
  await store.close();
});

it("seals also what others sealed between its look and its commit", async () => {
  const one = await start(OLD, NEW);
  await one.directory.users.create({ username: "alice" });
  const store = await openLate(() => create(one, "K1"));
  const report = await rotateSecretKey({ store, oldKey: OLD, newKey: NEW, now: () => 1 });
  expect(report).toEqual({ outcome: "rotated", sealed: 1, verified: 1 });
  await store.close();
});

it("a node whose report was written, though nobody knew, is one node, and none once it has stopped", async () => {
  const store = await openNode(sharedBy(engine));
  const directory = await openDirectoryOn(store, { secretKey: OLD });
  const { commit } = store;
  store.commit = async (asked) => {
    store.commit = commit;
    await store.commit(asked);
    throw new AuthorizerError("outcome_unknown", "nobody knows");
  };
  await expect(directory.reportKeys("node-1")).rejects.toThrow("nobody knows");
  await directory.reportKeys("node-1");
  const reports = () =>
    withSnapshot(store, (snapshot) => snapshot.scan("meta", { prefix: NODES, limit: 10 }));
  expect(await reports()).toHaveLength(1);
  await directory.close();
  expect(await reports()).toEqual([]);
  await store.close();
});
