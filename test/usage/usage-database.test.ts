import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { UsageItems } from "../../src/journal/usage-items.ts";
import { type OpenedUsage, openUsage } from "../../src/usage/open-usage.ts";
import type { UsageRow } from "../../src/usage/usage-rows.ts";
import type { SharedUsage } from "../../src/usage/usage-sharing.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const user = (username: string, userId = `id-${username}`) => ({ username, userId });

function open(
  path: string,
  node: string,
  more: { shared?: SharedUsage; now?: () => number; mostRows?: number } = {},
): OpenedUsage {
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const usage = openUsage({ path, node, intervalMs: 3_600_000, report, ...more });
  onTestFinished(() => expect(problems).toEqual([]));
  return usage;
}

async function allOf(usage: OpenedUsage): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const page of usage.all()) rows.push(...page);
  return rows;
}

describe("use, kept", () => {
  it("is in files for their owner only, also those that an earlier version made", async () => {
    const path = join(temporaryFolder(), "usage.sqlite");
    writeFileSync(path, "", { mode: 0o644 });
    const usage = open(path, "n1");
    usage.counts.served(user("alice"));
    await usage.flush();
    const files = [path, `${path}-wal`, `${path}-shm`];
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
    await usage.close();
  });

  it("is the sum of what all processes of a node counted, and outlives them", async () => {
    const path = join(temporaryFolder(), "usage.sqlite");
    const [one, other] = [open(path, "n1", { now: () => 1_000 }), open(path, "n1", { now: () => 2_000 })];
    for (let time = 0; time < 3; time++) one.counts.served(user("alice"));
    other.counts.served(user("alice"));
    other.counts.usedKey("AKIA1");
    await Promise.all([one.flush(), other.flush()]);
    expect(await one.of("user", ["alice", "bob"])).toEqual(new Map([["alice", { count: 4, last: 2_000 }]]));
    await one.close();
    await other.close();
    const later = open(path, "n1", { now: () => 500 });
    later.counts.usedKey("AKIA1");
    expect(await later.of("key", ["AKIA1"])).toEqual(new Map([["AKIA1", { count: 2, last: 2_000 }]]));
    expect(later.nodes()).toEqual([{ node: "n1", at: 500 }]);
    await later.close();
  });

  it("is that of the newest thing of a name", async () => {
    let now = 1_000;
    const usage = open(":memory:", "n1", { now: () => now });
    for (let time = 0; time < 5; time++) usage.counts.served(user("alice", "first"));
    now = 2_000;
    usage.counts.served(user("alice", "second"));
    expect(await usage.of("user", ["alice"])).toEqual(new Map([["alice", { count: 1, last: 2_000 }]]));
    await usage.close();
  });

  it("is read in pages without loss or repetition", async () => {
    const usage = open(":memory:", "n1");
    const names = Array.from({ length: 2_500 }, (_, index) => `user ${index % 2_400}`);
    for (const [index, name] of names.entries()) usage.counts.served(user(name, `${name} ${index}`));
    const rows = await allOf(usage);
    const users = rows.filter(({ kind }) => kind === "user");
    expect(users).toHaveLength(2_500);
    expect(new Set(users.map(({ part }) => part)).size).toBe(2_500);
    await usage.close();
  });

  it("reaches other nodes through the engine, each once, whatever is told how often", async () => {
    const engine = new MemoryEngine({ entry: 1_000, part: 600 });
    const folder = temporaryFolder();
    const at = (node: string) =>
      open(join(folder, `${node}.sqlite`), node, { shared: new UsageItems(engine) });
    for (const round of [1, 2]) {
      const [one, two] = [at("n1"), at("n2")];
      for (let index = 0; index < 200; index++) one.counts.usedKey(`AKIA${index * 7919}`);
      two.counts.usedKey("AKIA0");
      await one.close();
      await two.close();
      // The second to end has heard of the first.
      const again = at("n2");
      expect((await again.of("key", ["AKIA0", "AKIA7919"])).get("AKIA0")?.count).toBe(2 * round);
      expect((await again.of("key", ["AKIA7919"])).get("AKIA7919")?.count).toBe(round);
      expect(again.nodes().map(({ node }) => node)).toEqual(["n1", "n2"]);
      await again.close();
    }
    const items = await engine.list("usage", Number.MAX_SAFE_INTEGER, 100);
    const tellings = new Set(items.map(({ name }) => name.replace(/\/\d{6}-\d{6}$/, "")));
    expect(tellings.size).toBe(2);
    expect(items.length).toBeGreaterThan(2);
  });

  it("that another node tells again and again leaves the room to new things", async () => {
    const engine = new MemoryEngine({ entry: 1_000, part: 10_000 });
    const at = (node: string) => open(":memory:", node, { shared: new UsageItems(engine), mostRows: 400 });
    const [one, two] = [at("n1"), at("n2")];
    for (let round = 0; round < 4; round++) {
      for (let index = 0; index < 100; index++) one.counts.usedKey(`AKIA${index}`);
      await one.turn();
      await two.turn();
    }
    two.counts.usedKey("AKIANEW");
    expect((await two.of("key", ["AKIANEW", "AKIA1"])).get("AKIANEW")?.count).toBe(1);
    expect((await two.of("key", ["AKIA1"])).get("AKIA1")?.count).toBe(4);
    await one.close();
    await two.close();
  });

  it("is known at each moment while a newer telling is taken over", async () => {
    const engine = new MemoryEngine({ entry: 1_000, part: 100_000 });
    const at = (node: string) => open(":memory:", node, { shared: new UsageItems(engine) });
    const [one, two] = [at("n1"), at("n2")];
    const keys = Array.from({ length: 2_000 }, (_, index) => `AKIA${index}`);
    for (const key of keys) one.counts.usedKey(key);
    await one.turn();
    await two.turn();
    one.counts.usedKey("AKIA0");
    await one.turn();
    let isOver = false;
    const turn = two.turn().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      expect(two.rowsOf("key", keys)).toHaveLength(2_000);
      await setImmediate();
    }
    await turn;
    await one.close();
    await two.close();
  });

  it("comes back to a node that lost its file, and to the others with it", async () => {
    const engine = new MemoryEngine({ entry: 1_000, part: 600 });
    let now = 1_000;
    const at = (node: string, path: string) =>
      open(path, node, { shared: new UsageItems(engine), now: () => now });
    const before = at("n1", join(temporaryFolder(), "usage.sqlite"));
    before.counts.usedKey("AKIA1");
    await before.close();
    now = 500_000;
    const after = at("n1", join(temporaryFolder(), "usage.sqlite"));
    after.counts.usedKey("AKIA2");
    await after.turn();
    const other = at("n2", ":memory:");
    await other.turn();
    for (const node of [after, other]) {
      expect([...(await node.of("key", ["AKIA1", "AKIA2"])).keys()].sort()).toEqual(["AKIA1", "AKIA2"]);
      expect(node.countedSince()).toBe(1_000);
    }
    await after.close();
    await other.close();
  });

  it("of a node that cannot be read is doubtful, and that of the others is read", async () => {
    const engine = new MemoryEngine({ entry: 1_000, part: 600 });
    const items = new UsageItems(engine);
    const one = open(":memory:", "n1", { shared: items });
    expect(one.doubts()).toEqual([
      "What was used on other nodes has not been read yet, and appears as unused.",
    ]);
    await items.tell("a-newer-one", [gzipSync('{"format":2}\n')]);
    await items.tell("broken", [Buffer.from("no gzip")]);
    const two = open(":memory:", "n2", { shared: items });
    two.counts.usedKey("AKIA2");
    await two.close();
    await one.turn();
    expect((await one.of("key", ["AKIA2"])).size).toBe(1);
    expect(one.doubts()).toEqual([
      expect.stringMatching(/on the node a-newer-one .* is not known: it tells in format 2/),
      expect.stringMatching(/on the node broken .* is not known: /),
    ]);
    await items.tell("broken", [gzipSync('{"format":1,"began":5}\n')]);
    await one.turn();
    expect(one.doubts()).toHaveLength(1);
    await one.close();
  });

  it("is doubtful where other nodes cannot be heard, or it cannot be written", async () => {
    const path = join(temporaryFolder(), "usage.sqlite");
    const items = new UsageItems(new MemoryEngine({ entry: 1_000, part: 600 }));
    let isAway = false;
    const shared: SharedUsage = {
      pieceBytes: 600,
      tell: (node, pieces) => items.tell(node, pieces),
      told: async () => {
        if (isAway) throw new Error("away");
        return items.told();
      },
    };
    const usage = openUsage({ path, node: "n1", intervalMs: 3_600_000, report: () => {}, shared });
    await usage.turn();
    expect(usage.doubts()).toEqual([]);
    isAway = true;
    await usage.turn();
    expect(usage.doubts()).toEqual([expect.stringContaining("on other nodes since")]);
    isAway = false;
    await usage.turn();
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN IMMEDIATE");
    usage.counts.usedKey("AKIA1");
    await usage.flush();
    expect(usage.doubts()).toEqual([expect.stringContaining("cannot be written: database is locked")]);
    writer.exec("ROLLBACK");
    writer.close();
    await usage.flush();
    expect(usage.doubts()).toEqual([]);
    expect((await usage.of("key", ["AKIA1"])).size).toBe(1);
    await usage.close();
  });

  it("is not said to be known from before a use that was not counted", async () => {
    let now = 1_000;
    const engine = new MemoryEngine({ entry: 1_000, part: 600 });
    const at = (node: string, mostRows?: number) =>
      open(":memory:", node, {
        shared: new UsageItems(engine),
        now: () => now,
        ...(mostRows !== undefined && { mostRows }),
      });
    const [one, two] = [at("n1", 2), at("n2")];
    one.counts.usedKey("AKIA1");
    one.counts.usedKey("AKIA2");
    await one.turn();
    expect(one.countedSince()).toBe(1_000);
    now = 2_000;
    one.counts.usedKey("AKIA1");
    await one.turn();
    expect(one.countedSince()).toBe(1_000);
    one.counts.usedKey("AKIA3");
    await one.turn();
    await two.turn();
    for (const node of [one, two]) expect(node.countedSince()).toBe(2_000);
    await one.close();
    await two.close();
  });

  it("is forgotten two years later", async () => {
    const path = join(temporaryFolder(), "usage.sqlite");
    let now = 1_000;
    const usedOnce = open(path, "n1", { now: () => now });
    usedOnce.counts.usedKey("AKIA1");
    await usedOnce.close();
    const kept = async () => {
      const usage = open(path, "n1", { now: () => now });
      const found = (await usage.of("key", ["AKIA1"])).size;
      await usage.close();
      return found;
    };
    now += 700 * 86_400_000;
    expect(await kept()).toBe(1);
    now += 40 * 86_400_000;
    const usage = open(path, "n1", { now: () => now });
    await usage.turn();
    expect((await usage.of("key", ["AKIA1"])).size).toBe(0);
    // Who asks about earlier use hears that it is not known.
    expect(usage.countedSince()).toBe(1_000);
    await usage.close();
  });

  it("is counted in memory where the file cannot be used", async () => {
    const problems: string[] = [];
    const path = join(temporaryFolder(), "missing", "usage.sqlite");
    const usage = openUsage({ path, node: "n1", intervalMs: 1_000, report: (text) => problems.push(text) });
    usage.counts.usedKey("AKIA1");
    expect((await usage.of("key", ["AKIA1"])).get("AKIA1")?.count).toBe(1);
    expect(usage.path).toBeUndefined();
    expect(problems).toEqual(["last use cannot be kept and is counted in memory"]);
    await usage.close();
  });
});
