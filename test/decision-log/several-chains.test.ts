import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { lockChain } from "../../src/compose/records/decision-log.ts";
import { IndexDatabase } from "../../src/decision-log/index/index-database.ts";
import { decisionRows } from "../../src/decision-log/index/index-rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, openTestLog } from "./test-log.ts";

describe("the processes of a node", () => {
  it("write chains of their own, and are found in one index", async () => {
    const directory = temporaryFolder();
    let now = Date.parse("2026-11-22T09:00:00Z");
    const logs = await Promise.all(
      [0, 1, 2].map((worker) => openTestLog(directory, { worker }, { now: () => now })),
    );
    const other = await openTestLog(directory, { node: "n2" }, { now: () => now });
    for (let round = 0; round < 4; round++) {
      for (const [worker, log] of logs.entries()) {
        now += 1_000;
        log.decided(decidedBy(`user${round}-${worker}`, "r"));
      }
      other.decided(decidedBy("stranger", "r"));
    }
    for (const log of [...logs, other]) await log.close();
    const index = new IndexDatabase(directory, "n1", 1, decisionRows);
    expect(await index.catchUp()).toEqual(["n1-0", "n1-1", "n1-2"]);
    const { records } = index.page({}, { amount: 100 });
    const subjects = records.map((text) => (JSON.parse(text) as { subject: { id: string } }).subject.id);
    // Newest first, over all chains; another node's records are not among them.
    const written = [0, 1, 2, 3].flatMap((round) => [0, 1, 2].map((worker) => `user${round}-${worker}`));
    expect(subjects).toEqual(written.toReversed());
    expect(index.page({ subject: "user2-1" }, { amount: 10 }).records).toHaveLength(1);
    index.close();
  });

  it("are at most 64 in one directory", () => {
    const place = { directory: temporaryFolder(), node: "n1" };
    const locked = Array.from({ length: 64 }, () => lockChain(place));
    expect(locked.map(({ worker }) => worker)).toEqual(Array.from({ length: 64 }, (_, index) => index));
    let refusal: unknown;
    try {
      lockChain(place);
    } catch (error) {
      refusal = error;
    }
    expect(isErrorCode(refusal, "unavailable")).toBe(true);
    locked[17]?.lock.release();
    const again = lockChain(place);
    expect(again.worker).toBe(17);
    for (const { lock } of [...locked.filter(({ worker }) => worker !== 17), again]) lock.release();
  });
});
