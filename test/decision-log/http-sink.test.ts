import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isDecision, type LoggedLine } from "@svc-authorizer/policy/records/record.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { HttpSink } from "../../src/decision-log/sinks/http-sink.ts";
import { NDJSON, OTLP } from "../../src/decision-log/sinks/sink-format.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, linesOf, openTestLog } from "./test-log.ts";

interface Receiver {
  readonly url: string;
  readonly bodies: string[];
  readonly tokens: (string | undefined)[];
  /** Answers this status from now on. */
  status: number;
  /** Answers a body in another way than {@link status} says, where it returns something. */
  answer: (body: string) => { status: number; headers?: Record<string, string>; text?: string } | undefined;
}

async function receiver(): Promise<Receiver> {
  const received: Receiver = { url: "", bodies: [], tokens: [], status: 200, answer: () => undefined };
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      received.tokens.push(request.headers.authorization);
      const body = gunzipSync(Buffer.concat(pieces)).toString("utf8");
      const { status, headers = {}, text = "" } = received.answer(body) ?? { status: received.status };
      if (status === 200) received.bodies.push(body);
      response.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(received, {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/in`,
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const linesIn = (bodies: readonly string[]): readonly string[] =>
  bodies.flatMap((body) => body.split("\n").slice(0, -1));

describe("an HTTP sink", () => {
  it("has all records in order, although it was down, over restarts and compressed segments", async () => {
    const directory = temporaryFolder();
    const folder = join(directory, "n1-0");
    const server = await receiver();
    server.status = 503;
    const log = await openTestLog(directory, { segmentBytes: 4_000, compress: true });
    const reports: string[] = [];
    const options = {
      folder,
      url: server.url,
      format: NDJSON,
      token: "sink-token",
      report: (problem: string) => void reports.push(problem),
    };
    const down = new HttpSink(options);
    await down.start();
    for (let index = 0; index < 100; index++) {
      log.decided(decidedBy(`user${index}`, "r"));
      if (index % 10 === 0) await log.written();
    }
    await log.written();
    down.notice();
    await until(() => reports.length > 0);
    expect(down.lagSeconds).toBeGreaterThanOrEqual(0);
    expect(down.needed).toBe(1);
    await down.close();
    expect(reports).toEqual(["a sink of the decision log does not take records"]);
    server.status = 200;
    const up = new HttpSink(options);
    await up.start();
    const users = () =>
      linesIn(server.bodies)
        .map((line) => JSON.parse(line) as LoggedLine)
        .filter(isDecision)
        .map(({ subject }) => subject.id);
    await until(() => users().length >= 100);
    for (let index = 100; index < 110; index++) log.decided(decidedBy(`user${index}`, "r"));
    await log.written();
    up.notice();
    await until(() => users().length >= 110);
    expect(users()).toEqual(Array.from({ length: 110 }, (_, index) => `user${index}`));
    await until(() => up.lagSeconds === 0);
    await up.close();
    await log.close();
    const again = new HttpSink(options);
    await again.start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await again.close();
    expect(linesIn(server.bodies).map((line) => JSON.parse(line))).toEqual(linesOf(folder));
    expect(new Set(server.tokens)).toEqual(new Set(["Bearer sink-token"]));
  });

  it("says that segments were removed before it had them", async () => {
    const directory = temporaryFolder();
    const folder = join(directory, "n1-0");
    const server = await receiver();
    const reports: object[] = [];
    const report = (problem: string, fields: object) => void reports.push({ problem, ...fields });
    const options = { folder, url: server.url, format: NDJSON, token: undefined, report };
    const log = await openTestLog(directory, { segmentBytes: 1_000 });
    const fill = async (name: string) => {
      for (let index = 0; index < 12; index++) {
        log.decided(decidedBy(`${name}${index}`, "r"));
        await log.written();
      }
    };
    await fill("first");
    const sink = new HttpSink(options);
    await sink.start();
    await until(() => linesIn(server.bodies).length >= 12);
    await sink.close();
    const { needed } = sink;
    await fill("second");
    for (const name of readdirSync(folder)) {
      if (Number.parseInt(name, 10) >= needed && Number.parseInt(name, 10) < needed + 3)
        rmSync(join(folder, name));
    }
    const again = new HttpSink(options);
    await again.start();
    await until(() => again.needed > needed + 3 && again.lagSeconds === 0);
    await again.close();
    await log.close();
    const problem = "segments were removed before a sink of the decision log had them";
    const { host } = new URL(server.url);
    expect(reports).toEqual([{ problem, sink: host, from: needed, to: needed + 2 }]);
  });

  it("goes on where the chain ends, although a loss of power took lines that it has", async () => {
    const directory = temporaryFolder();
    const folder = join(directory, "n1-0");
    const server = await receiver();
    const options = { folder, url: server.url, format: NDJSON, token: undefined, report: () => undefined };
    const file = join(folder, "0000000001.jsonl");
    const first = await openTestLog(directory);
    for (const user of ["a", "b", "c"]) first.decided(decidedBy(user, "r"));
    await first.close();
    const sink = new HttpSink(options);
    await sink.start();
    await until(() => linesIn(server.bodies).length === 3);
    // Its answer may still be on the way, without which the sink would send all again.
    await until(() => readdirSync(folder).some((name) => /^sink-.*\.json$/.test(name)));
    await sink.close();
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n")[0]}\n`);
    const log = await openTestLog(directory);
    const again = new HttpSink(options);
    await again.start();
    for (let index = 0; index < 5; index++) log.decided(decidedBy(`later${index}`, "r"));
    await log.written();
    again.notice();
    await until(() => linesIn(server.bodies).length >= 8);
    await again.close();
    await log.close();
    expect(
      linesIn(server.bodies)
        .slice(3)
        .map((line) => JSON.parse(line).subject.id),
    ).toEqual([0, 1, 2, 3, 4].map((index) => `later${index}`));
  });

  describe("whose receiver refuses what it gets", () => {
    /** A sink of ten records, of user0 to user9. */
    async function ten(server: Receiver) {
      const directory = temporaryFolder();
      const log = await openTestLog(directory);
      for (let index = 0; index < 10; index++) log.decided(decidedBy(`user${index}`, "r"));
      await log.close();
      const reports: { problem: string; [field: string]: unknown }[] = [];
      const report = (problem: string, fields: object) => void reports.push({ problem, ...fields });
      const folder = join(directory, "n1-0");
      const options = { folder, url: server.url, format: NDJSON, token: undefined, report };
      const sink = new HttpSink(options);
      onTestFinished(() => sink.close());
      await sink.start();
      const users = () => linesIn(server.bodies).map((line) => JSON.parse(line).subject.id);
      return { sink, reports, users };
    }
    const all = Array.from({ length: 10 }, (_, index) => `user${index}`);

    it("sends smaller batches to one that takes no larger ones", async () => {
      const server = await receiver();
      server.answer = (body) => (body.split("\n").length > 4 ? { status: 413 } : undefined);
      const { users, reports, sink } = await ten(server);
      await until(() => users().length >= 10);
      expect(users()).toEqual(all);
      expect([reports, sink.rejected]).toEqual([[], 0]);
    });

    it("leaves out a record that it calls invalid, and says so", async () => {
      const server = await receiver();
      server.answer = (body) => (/user[34]"/.test(body) ? { status: 400 } : undefined);
      const { users, reports, sink } = await ten(server);
      await until(() => users().length >= 8);
      expect(users()).toEqual(all.filter((user) => user !== "user3" && user !== "user4"));
      expect(sink.rejected).toBe(2);
      expect(sink.failures).toBeGreaterThan(0);
      expect(reports).toEqual([
        {
          problem: "a sink of the decision log refuses records as invalid; it lacks them",
          sink: new URL(server.url).host,
          segment: 1,
          offset: expect.any(Number),
          ids: ["d-user3-r", "d-user4-r"],
        },
      ]);
    });

    it("leaves out nothing where it refuses everything", async () => {
      const server = await receiver();
      server.status = 400;
      const { users, reports, sink } = await ten(server);
      await until(() => reports.length > 0);
      expect(reports).toMatchObject([
        {
          problem: "a sink of the decision log does not take records",
          reason: expect.stringContaining("400"),
        },
      ]);
      server.status = 200;
      await until(() => users().length >= 10);
      expect(users()).toEqual(all);
      expect([reports.length, sink.rejected]).toEqual([1, 0]);
    });

    it("goes on by itself when its token is accepted", async () => {
      const server = await receiver();
      server.status = 401;
      const { users, reports, sink } = await ten(server);
      await until(() => sink.failures > 1);
      expect(reports.map(({ reason }) => reason)).toEqual([
        "status 401: the receiver does not accept the token of the sinks",
      ]);
      server.status = 200;
      await until(() => users().length >= 10);
      expect(users()).toEqual(all);
    });

    it.each([
      ["seconds", () => "2"],
      ["a date", () => new Date(Date.now() + 3_000).toUTCString()],
    ])("waits as long as it says in %s", async (_form, retryAfter) => {
      const server = await receiver();
      const times: number[] = [];
      server.answer = () => {
        times.push(performance.now());
        return times.length > 1 ? undefined : { status: 503, headers: { "retry-after": retryAfter() } };
      };
      const { users } = await ten(server);
      await until(() => users().length >= 10);
      expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(1_900);
    });
  });

  it("counts what a receiver of OTLP says it did not keep", async () => {
    const directory = temporaryFolder();
    const server = await receiver();
    const partialSuccess = { rejectedLogRecords: "3", errorMessage: "too old" };
    server.answer = () => ({ status: 200, text: JSON.stringify({ partialSuccess }) });
    const log = await openTestLog(directory);
    for (let index = 0; index < 5; index++) log.decided(decidedBy(`user${index}`, "r"));
    await log.close();
    const reports: object[] = [];
    const report = (problem: string, fields: object) => void reports.push({ problem, ...fields });
    const sink = new HttpSink({
      folder: join(directory, "n1-0"),
      url: server.url,
      format: OTLP,
      token: undefined,
      report,
    });
    await sink.start();
    await until(() => sink.rejected > 0);
    await sink.close();
    expect([server.bodies.length, sink.rejected]).toEqual([1, 3]);
    expect(reports).toMatchObject([{ rejected: 3 }]);
  });

  it("sends OTLP log records", async () => {
    const directory = temporaryFolder();
    const server = await receiver();
    const log = await openTestLog(directory, {}, { now: () => 1_700_000_000_123 });
    log.decided(decidedBy("alice", "r", "neutral"));
    await log.written();
    const sink = new HttpSink({
      folder: join(directory, "n1-0"),
      url: server.url,
      format: OTLP,
      token: undefined,
      report: () => undefined,
    });
    await sink.start();
    await until(() => server.bodies.length > 0);
    await sink.close();
    await log.close();
    const { resourceLogs } = JSON.parse(server.bodies[0] as string);
    const [record] = resourceLogs[0].scopeLogs[0].logRecords;
    expect(record).toMatchObject({
      timeUnixNano: "1700000000123000000",
      observedTimeUnixNano: "1700000000123000000",
      severityText: "WARN",
      attributes: expect.arrayContaining([{ key: "decision.effect", value: { stringValue: "neutral" } }]),
    });
    expect(JSON.parse(record.body.stringValue)).toMatchObject({ subject: { id: "alice" } });
  });

  it("sends records of the audit log with attributes of their own", () => {
    const line = { format: 1, at: "2026-11-22T09:30:01.250Z", node: "n1", id: "a-1", event: "write" };
    const { resourceLogs } = JSON.parse(OTLP.body([Buffer.from(JSON.stringify(line))]).toString("utf8"));
    expect(resourceLogs[0].scopeLogs[0].logRecords[0].attributes).toEqual([
      { key: "audit.id", value: { stringValue: "a-1" } },
      { key: "audit.event", value: { stringValue: "write" } },
      { key: "node", value: { stringValue: "n1" } },
    ]);
  });
});
