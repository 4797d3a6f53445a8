/** The index follows chains that are written fast, that were damaged, and that ended before its place (spec/decision-log §3.3). */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { describe, expect, it } from "vitest";
import { IndexDatabase } from "../../src/decision-log/index/index-database.ts";
import { decisionRows } from "../../src/decision-log/index/index-rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, openTestLog } from "./test-log.ts";

const users = (records: readonly string[]) =>
  records.map((text) => (JSON.parse(text) as LoggedDecision).subject.id);

async function write(directory: string, names: readonly string[]): Promise<void> {
  const log = await openTestLog(directory);
  for (const name of names) log.decided(decidedBy(name, "r"));
  await log.close();
}

async function found(directory: string): Promise<readonly (string | null)[]> {
  const index = new IndexDatabase(directory, "n1", 0, decisionRows);
  try {
    await index.catchUp();
    return users(index.page({}, { amount: 1_000 }).records).reverse();
  } finally {
    index.close();
  }
}

async function lostIn(directory: string, times: { since?: string; until?: string } = {}): Promise<number> {
  const index = new IndexDatabase(directory, "n1", 0, decisionRows);
  try {
    await index.catchUp();
    return index.page(times, { amount: 1 }).lost;
  } finally {
    index.close();
  }
}

describe("an index", () => {
  it("gives every new record, also of more than a page", async () => {
    const directory = temporaryFolder();
    const names = Array.from({ length: 2_500 }, (_, index) => `user${index}`);
    await write(directory, names);
    const index = new IndexDatabase(directory, "n1", 0, decisionRows);
    await index.catchUp();
    const seen: (string | null)[] = [];
    for (let place = 0, more = true; more; ) {
      const news = index.since({}, place);
      seen.push(...users(news.records));
      ({ place, more } = news);
    }
    index.close();
    expect(seen).toEqual(names);
  });

  it("has what is sound of a damaged chain", async () => {
    const directory = temporaryFolder();
    await write(directory, ["a", "b", "c"]);
    const file = join(directory, "n1-0", "0000000001.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.with(1, (lines[1] as string).replace("{", "[")).join("\n"));
    expect(await found(directory)).toEqual(["a", "c"]);
    expect(await lostIn(directory)).toBe(1);
  });

  it("counts what found no room in the time that is asked about, as long as the segment is kept", async () => {
    const directory = temporaryFolder();
    await write(directory, ["a"]);
    const file = join(directory, "n1-0", "0000000001.jsonl");
    const loss = (at: string, lost: number) => JSON.stringify({ format: 1, at, node: "n1", lost });
    const lines = [loss("2026-11-01T08:00:00.000Z", 3), loss("2026-11-01T09:00:00.000Z", 4)];
    writeFileSync(file, `${readFileSync(file, "utf8")}${lines.join("\n")}\n`);
    expect(await lostIn(directory)).toBe(7);
    expect(await lostIn(directory, { until: "2026-11-01T09:00:00Z" })).toBe(3);
    expect(await lostIn(directory, { since: "2026-11-01T09:00:00Z" })).toBe(4);
    expect(await lostIn(directory, { since: "2026-11-01T10:00:00Z" })).toBe(0);
    rmSync(file);
    await write(directory, []);
    expect(await lostIn(directory)).toBe(0);
  });

  it("has the records of a chain that ended before its place, and of one that began anew", async () => {
    const directory = temporaryFolder();
    const file = join(directory, "n1-0", "0000000001.jsonl");
    await write(directory, ["a", "b", "c"]);
    expect(await found(directory)).toEqual(["a", "b", "c"]);
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\n`);
    await write(directory, ["later"]);
    expect(await found(directory)).toEqual(["a", "later"]);
    rmSync(join(directory, "n1-0"), { recursive: true });
    await write(directory, ["anew"]);
    expect(await found(directory)).toEqual(["anew"]);
  });
});
