/** Tests the values that a node keeps in memory against the commits of other nodes. */

import { afterEach, beforeEach, expect, it } from "vitest";
import { CachedPrincipal } from "../../src/decisions/cached-principal.ts";
import type { CacheCounters } from "../../src/decisions/principal-cache.ts";
import { PrincipalCache } from "../../src/decisions/principal-cache.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { type Cable, openNode, sharedBy } from "./bed.ts";

const STATEMENT = [{ effect: "allow" as const, action: ["fs:ReadObject"], resource: "*" }];

let cable: Cable;
let stores: JournalStore[];
let writer: OpenedDirectory;
let reader: OpenedDirectory;
let cache: PrincipalCache;
let counters: CacheCounters;
beforeEach(async () => {
  cable = { cut: false };
  const engine = new MemoryEngine();
  stores = [await openNode(sharedBy(engine)), await openNode(sharedBy(engine, cable), { pollMs: 60_000 })];
  writer = await openDirectoryOn(stores[0]!);
  await stores[1]!.catchUp();
  reader = await openDirectoryOn(stores[1]!);
  for (const username of ["alice", "bob", "carol"]) await writer.users.create({ username });
  for (const name of ["P", "Q"]) await writer.policies.create({ name, statement: STATEMENT });
  await writer.groups.create({ name: "G" });
  await writer.groups.addMember("G", "alice");
  await writer.groups.attachPolicy("G", "P");
  await writer.users.attachPolicy("bob", "Q");
  await stores[1]!.catchUp();
  counters = { cacheHits: 0, cacheMisses: 0, cacheEvictions: 0 };
  cache = new PrincipalCache({
    settings: { enabled: true, size: 10, ttl: 60_000, jitter: 0 },
    counters,
    load: async (username) => {
      const principal = await reader.principal(username);
      return principal && new CachedPrincipal(principal, {} as never);
    },
    isToldEverything: () => reader.tellsEveryChange(),
  });
  reader.onChange((change) => cache.evict(change));
  for (const username of ["alice", "bob", "carol"]) await cache.load(username);
});
afterEach(async () => {
  cable.cut = false;
  for (const directory of [writer, reader]) await directory.close();
  for (const store of stores) await store.close();
});

const kept = () => ["alice", "bob", "carol"].filter((username) => cache.cached(username) !== undefined);

it.each<[string, () => Promise<unknown>, readonly string[]]>([
  ["a user", () => writer.users.update("carol", { friendly_name: "C" }), ["alice", "bob"]],
  [
    "a policy of a group",
    () => writer.policies.update({ name: "P", statement: STATEMENT }),
    ["bob", "carol"],
  ],
  ["an attachment to a group", () => writer.groups.detachPolicy("G", "P"), ["bob", "carol"]],
  ["a policy of a user", () => writer.policies.delete("Q"), ["alice", "carol"]],
  ["a membership", () => writer.groups.addMember("G", "bob"), ["alice", "carol"]],
  ["a group without members", () => writer.groups.create({ name: "H" }), ["alice", "bob", "carol"]],
])("a commit of another node on %s evicts what depends on it and nothing else", async (_, write, left) => {
  await write();
  await stores[1]!.catchUp();
  expect(kept()).toEqual(left);
  expect(counters.cacheEvictions).toBe(3 - left.length);
});

it("a node without contact to its database does not say that it hears of every change", async () => {
  expect(reader.tellsEveryChange()).toBe(true);
  cable.cut = true;
  await expect(stores[1]!.catchUp()).rejects.toThrow();
  expect(reader.tellsEveryChange()).toBe(false);
  cable.cut = false;
  await stores[1]!.catchUp();
  expect(reader.tellsEveryChange()).toBe(true);
  expect(writer.tellsEveryChange()).toBe(true);
});
