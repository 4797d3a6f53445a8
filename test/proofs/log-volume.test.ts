import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { readRecords } from "@svc-authorizer/policy/records/replay/read-records.ts";
import { Replay } from "@svc-authorizer/policy/records/replay/replay.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { HttpSink } from "../../src/decision-log/sinks/http-sink.ts";
import { NDJSON } from "../../src/decision-log/sinks/sink-format.ts";
import { decidedBy, openTestLog, segmentTexts } from "../decision-log/test-log.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { isWhole, report, sized } from "./size.ts";

const REPLAYED = sized(20_000, 1_000_000);
const MOST_CPU_SECONDS = 60;
/** An hour with a hundred decisions a second. */
const MISSED = sized(5_000, 360_000);

/** Writes records of users who read repositories, faster than the disk takes them. */
async function writeLog(directory: string, count: number): Promise<void> {
  const log = await openTestLog(directory, { compress: true, segmentBytes: 16 << 20 });
  for (let index = 0; index < count; index++) {
    log.decided(decidedBy(`u${index % 1_000}`, `r${index % 10}/object/part-${index}`));
    if (index % 1_000 === 0) await log.written();
  }
  await log.close();
}

const reading = (resource: string): NamedStatements => ({
  name: "Read",
  statement: [{ effect: "allow", action: ["fs:Read*"], resource }],
});

describe("proof: much in a decision log", () => {
  it(`${REPLAYED} records are decided again under two sets of policies`, {
    timeout: sized(60_000, 600_000),
  }, async () => {
    const directory = temporaryFolder();
    await writeLog(directory, REPLAYED);
    const [before, after] = [
      reading("arn:svc:fs:::repository/*"),
      reading("arn:svc:fs:::repository/r1/*"),
    ] as const;
    const replay = new Replay({
      partition: "svc",
      before: () => [before],
      after: () => [after],
      examples: 3,
    });
    const began = process.cpuUsage();
    for await (const record of readRecords(directory)) replay.add(record);
    const found = replay.report();
    const { user, system } = process.cpuUsage(began);
    const seconds = (user + system) / 1e6;
    report(`a replay: ${REPLAYED} records in ${seconds.toFixed(1)} s of processor time`);
    expect(found).toMatchObject({ records: REPLAYED, wider: 0, narrower: REPLAYED * 0.9 });
    if (isWhole) expect(seconds).toBeLessThan(MOST_CPU_SECONDS);
  });

  it(`a sink that was down for ${MISSED} records has all of them afterwards, in order`, {
    timeout: sized(60_000, 600_000),
  }, async () => {
    const directory = temporaryFolder();
    const folder = join(directory, "n1-0");
    const received: string[] = [];
    let status = 503;
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        if (status === 200) {
          received.push(...gunzipSync(Buffer.concat(pieces)).toString("utf8").split("\n").slice(0, -1));
        }
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const options = {
      folder,
      url: `http://127.0.0.1:${port}/in`,
      format: NDJSON,
      token: undefined,
      report: () => undefined,
    };
    const down = new HttpSink(options);
    await down.start();
    await writeLog(directory, MISSED);
    down.notice();
    while (down.lagSeconds === 0) await delay(10);
    await down.close();
    expect(received).toEqual([]);
    status = 200;
    const up = new HttpSink(options);
    await up.start();
    const lines = segmentTexts(folder).flatMap((text) => text.split("\n").slice(0, -1));
    while (received.length < lines.length) await delay(20);
    await up.close();
    // Nothing was sent twice, as no answer was lost: then the order is that of the log.
    expect(received.length).toBe(lines.length);
    expect(received.every((line, index) => line === lines[index])).toBe(true);
  });
});
