import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { UsageItems } from "../../src/journal/usage-items.ts";
import { type OpenedUsage, openUsage, type SharedUsage } from "../../src/usage/open-usage.ts";
import type { UsageRow } from "../../src/usage/usage-rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const user = (username: string, userId = `id-${username}`) => ({ username, userId });

function open(
  path: string,
  node: string,
  more: { shared?: SharedUsage; now?: () => number } = {},
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
    expect([await kept(), await kept()]).toEqual([1, 0]);
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
