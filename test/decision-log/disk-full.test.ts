import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { isDecision } from "@svc-authorizer/policy/records/record.ts";
import { afterAll, describe, expect, it } from "vitest";
import { DecisionIndex } from "../../src/decision-log/index/decision-index.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { removeDisk, smallDisk } from "./small-disk.ts";
import { decidedBy, findingsIn, linesOf, openTestLog } from "./test-log.ts";

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const disks = [smallDisk(), smallDisk(), smallDisk()] as const;
afterAll(() => {
  for (const disk of disks) if (disk !== undefined) removeDisk(disk);
});

describe("a disk without room", () => {
  it.skipIf(disks[0] === undefined)(
    "is answered on with drop: lost records are counted, and it goes on by itself when there is room",
    async () => {
      const disk = disks[0] as string;
      const filler = join(disk, "filler");
      const reports: string[] = [];
      const log = await openTestLog(disk, {}, { report: (problem) => reports.push(problem) });
      log.decided(decidedBy("before", "r"));
      await log.written();
      writeFileSync(filler, Buffer.alloc(200_000));
      const resource = "r".repeat(4_000);
      for (let index = 0; index < 6_000; index++) {
        expect(log.decided(decidedBy(`user${index}`, resource))).toBeUndefined();
        if (index % 500 === 0) await wait(5);
      }
      expect(log.counters.failures).toBeGreaterThan(0);
      expect(log.counters.lost).toBeGreaterThan(0);
      expect(reports).toContain("the decision log cannot be written");
      expect(await findingsIn(disk)).toEqual([]);
      // Whoever asks now hears how many are not there.
      const index = new DecisionIndex({
        ...{ directory: temporaryFolder(), node: "n1", worker: 0 },
        flush: () => log.written(),
        unwritten: () => log.unwritten(),
      });
      const present = await index.page({}, { amount: 10 });
      const past = await index.page({ until: "2026-01-01T00:00:00Z" }, { amount: 10 });
      await index.close();
      expect(present.lost).toBeGreaterThan(log.counters.lost);
      expect(present.lost).toBeLessThanOrEqual(6_001);
      expect(past.lost).toBe(0);
      // What waits has more bytes than the disk: the disk grows.
      execFileSync("mount", ["-o", "remount,size=64m", disk]);
      rmSync(filler);
      await wait(2_500);
      log.decided(decidedBy("after", "r"));
      await log.close();
      const lines = linesOf(join(disk, "n1-0"));
      const recorded = lines.filter(isDecision).map(({ subject }) => subject.id);
      expect(recorded.at(0)).toBe("before");
      expect(recorded.at(-1)).toBe("after");
      const lost = lines.flatMap((line) => ("lost" in line ? [line.lost] : []));
      expect(lost).toEqual([log.counters.lost]);
      expect(recorded.length + log.counters.lost).toBe(6_002);
      expect(await findingsIn(disk)).toEqual([]);
    },
  );

  it.skipIf(disks[1] === undefined)(
    "refuses decisions with refuse, and goes on by itself when there is room",
    async () => {
      const disk = disks[1] as string;
      const filler = join(disk, "filler");
      const log = await openTestLog(disk, { whenFull: "refuse", sync: "each" });
      await log.decided(decidedBy("before", "r"));
      writeFileSync(filler, Buffer.alloc(200_000));
      let refused = 0;
      let answered = 1;
      const decide = async (user: string): Promise<void> => {
        try {
          await log.decided(decidedBy(user, "r".repeat(3_000)));
          answered++;
        } catch (error) {
          expect(isErrorCode(error, "unavailable")).toBe(true);
          refused++;
        }
      };
      for (let index = 0; index < 100; index++) await decide(`user${index}`);
      expect(refused).toBeGreaterThan(10);
      expect(log.counters.refused).toBe(refused);
      rmSync(filler);
      const before = refused;
      for (let index = 0; refused > before || index === 0; index++) {
        await wait(100);
        const count = refused;
        await decide("after");
        if (refused === count) break;
      }
      await log.close();
      const recorded = linesOf(join(disk, "n1-0")).filter(isDecision);
      expect(recorded.length).toBeGreaterThanOrEqual(answered);
      expect(recorded.at(-1)?.subject.id).toBe("after");
      expect(await findingsIn(disk)).toEqual([]);
    },
  );

  it.skipIf(disks[2] === undefined)(
    "does not stop a start: decisions are answered or refused as while it runs, and it goes on when there is room",
    async () => {
      const disk = disks[2] as string;
      const filler = join(disk, "filler");
      const first = await openTestLog(disk);
      first.decided(decidedBy("before", "r"));
      await first.close();
      try {
        writeFileSync(filler, Buffer.alloc(300_000));
      } catch {
        // It takes all that there is.
      }
      const reports: string[] = [];
      const log = await openTestLog(disk, {}, { report: (problem) => reports.push(problem) });
      expect(reports).toEqual(["the decision log has no room"]);
      expect(log.decided(decidedBy("during", "r".repeat(4_000)))).toBeUndefined();
      await expect(log.written()).rejects.toMatchObject({ code: "ENOSPC" });
      rmSync(filler);
      await expect.poll(() => log.written().then(String, () => "no room")).toBe("undefined");
      await log.close();
      const recorded = linesOf(join(disk, "n1-0")).filter(isDecision);
      expect(recorded.map(({ subject }) => subject.id)).toEqual(["before", "during"]);
      expect(await findingsIn(disk)).toEqual([]);
    },
  );
});
