import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decidedBy, openTestLog } from "../../decision-log/test-log.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { authorizer } from "./run-authorizer.ts";

const RECORDS = 130;

/** The folder of a log all of whose records were changed. */
async function damagedLog(): Promise<string> {
  const folder = temporaryFolder();
  const log = await openTestLog(folder);
  for (let index = 0; index < RECORDS; index++) log.decided(decidedBy(`user-${index}`, "r"));
  await log.close();
  const segment = join(folder, "n1-0", "0000000001.jsonl");
  writeFileSync(segment, readFileSync(segment, "utf8").replaceAll('"user-', '"somebody-'));
  return folder;
}

describe("decision-log verify of a log with many damaged lines", () => {
  it("prints the first 100 and says how many more there are", async () => {
    const { code, stdout } = await authorizer("decision-log", "verify", "--directory", await damagedLog());
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(0, 100).every((line) => /\.jsonl:\d+: the line was changed$/.test(line))).toBe(true);
    expect(lines[100]).toBe(`and ${RECORDS - 100} more (--json lists up to 10000)`);
    expect(lines.slice(101)).toEqual([expect.stringMatching(/^the decision log is damaged \(chains: 1, /)]);
  });

  it("lists all of them as JSON, with their number", async () => {
    const folder = await damagedLog();
    const { code, stdout } = await authorizer("decision-log", "verify", "--directory", folder, "--json");
    expect(code).toBe(1);
    const { sound, findings, findings_total } = JSON.parse(stdout);
    expect(sound).toBe(false);
    expect(findings).toHaveLength(RECORDS);
    expect(findings_total).toBe(RECORDS);
  });
});
