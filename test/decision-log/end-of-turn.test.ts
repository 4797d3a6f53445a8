/** Records are encoded at the end of a turn of the event loop, and say what was so when the decision was made. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, openTestLog } from "./test-log.ts";

it("a record has the time and the revision of its decision, and its place in the order of decisions", async () => {
  const directory = temporaryFolder();
  let now = Date.parse("2026-11-22T09:00:00Z");
  let revision = 1;
  const log = await openTestLog(directory, {}, { now: () => now, revision: () => revision });
  for (let index = 0; index < 150; index++) {
    log.decided(decidedBy(`user${index}`, "r"));
    now += 1_000;
    revision += 1;
  }
  await log.close();
  const lines = readFileSync(join(log.folder, "0000000001.jsonl"), "utf8").trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line));
  expect(records).toHaveLength(150);
  for (const [index, record] of records.entries()) {
    expect(record).toMatchObject({ subject: { id: `user${index}` }, revision: index + 1 });
    expect(Date.parse(record.at)).toBe(Date.parse("2026-11-22T09:00:00Z") + index * 1_000);
  }
});
