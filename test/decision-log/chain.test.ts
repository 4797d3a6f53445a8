import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { isDecision, type LoggedSeal } from "@svc-authorizer/policy/records/record.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AuditTrail } from "../../src/decision-log/audit/audit-trail.ts";
import { SegmentFileWriter } from "../../src/decision-log/chain/segment-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { decidedBy, findingsIn, linesOf, openTestLog, SECRET, segmentTexts, settingsOf } from "./test-log.ts";

const tick = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a decision log", () => {
  it("brings lines to disk every second where the clock is set back, too", async () => {
    const sync = vi.spyOn(SegmentFileWriter.prototype, "sync");
    const monotonic = performance.now.bind(performance);
    vi.useFakeTimers({ toFake: ["Date"] });
    const log = await openTestLog(temporaryFolder());
    log.decided(decidedBy("alice", "r"));
    await log.written();
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.spyOn(performance, "now").mockImplementation(() => monotonic() + 1_000);
    sync.mockClear();
    log.decided(decidedBy("bob", "r"));
    await expect.poll(() => sync.mock.calls.length).toBe(1);
    await log.close();
  });

  it("writes one line for each decision, in order, and goes on after a restart", async () => {
    const directory = temporaryFolder();
    for (const run of ["a", "b"]) {
      const log = await openTestLog(directory);
      for (let index = 0; index < 50; index++) log.decided(decidedBy(`${run}${index}`, "r"));
      await log.close();
    }
    const lines = linesOf(join(directory, "n1-0")).filter(isDecision);
    const users = ["a", "b"].flatMap((run) => Array.from({ length: 50 }, (_, index) => `${run}${index}`));
    expect(lines.map(({ subject }) => subject.id)).toEqual(users);
    expect(await findingsIn(directory)).toEqual([]);
  });

  it("counts what comes after its end, and says so", async () => {
    const problems: string[] = [];
    const report = (problem: string) => void problems.push(problem);
    const log = await openTestLog(temporaryFolder(), {}, { report });
    log.decided(decidedBy("alice", "r"));
    await log.close();
    for (const user of ["bob", "carol"]) log.decided(decidedBy(user, "r"));
    await expect(log.written()).rejects.toThrow("closed");
    expect(log.counters).toMatchObject({ records: 1, lost: 2, waiting: 0 });
    expect(problems).toEqual(["a record came after the decision log was closed, which lacks it"]);
    const strict = await openTestLog(temporaryFolder(), { whenFull: "refuse" });
    await strict.close();
    expect(() => strict.decided(decidedBy("dave", "r"))).toThrow("cannot be recorded");
  });

  it("counts what could not be written until its end, and says so", async () => {
    const problems: unknown[] = [];
    const report = (problem: string, { lost }: Readonly<Record<string, unknown>>) => {
      problems.push([problem, lost]);
    };
    const log = await openTestLog(temporaryFolder(), {}, { report });
    vi.spyOn(SegmentFileWriter.prototype, "append").mockRejectedValue(new Error("the disk is full"));
    for (const user of ["alice", "bob"]) log.decided(decidedBy(user, "r"));
    await expect(log.written()).rejects.toThrow("full");
    log.decided(decidedBy("carol", "r"));
    await log.close();
    expect(log.counters).toMatchObject({ records: 0, lost: 3 });
    expect(problems).toEqual([
      ["the decision log cannot be written", undefined],
      ["the decision log was closed with records that could not be written", 3],
    ]);
  });

  it("closes segments with a seal, compresses them and chains over them", async () => {
    const directory = temporaryFolder();
    const seals: number[] = [];
    const log = await openTestLog(
      directory,
      { segmentBytes: 20_000, compress: true },
      { onSeal: ({ segment }) => seals.push(segment) },
    );
    for (let index = 0; index < 400; index++) {
      log.decided(decidedBy(`user${index}`, "r"));
      if (index % 40 === 0) await log.written();
    }
    await log.close();
    const folder = join(directory, "n1-0");
    const names = readdirSync(folder).filter((name) => name.includes(".jsonl"));
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !name.endsWith(".zst"))).toHaveLength(1);
    expect(seals).toEqual(names.slice(0, -1).map((name) => Number.parseInt(name, 10)));
    const last = segmentTexts(folder)[0]?.trimEnd().split("\n").at(-1) as string;
    expect((JSON.parse(last) as LoggedSeal).seal).toMatchObject({ chain: "n1-0", segment: 1 });
    expect(linesOf(folder).filter(isDecision)).toHaveLength(400);
    expect(await findingsIn(directory)).toEqual([]);
    expect(await findingsIn(directory, "another key")).not.toEqual([]);
  });

  it("takes no record for a seal, whatever it is about", async () => {
    const directory = temporaryFolder();
    const settings = settingsOf(directory);
    const open = () =>
      AuditTrail.open({
        settings,
        secretKey: SECRET,
        report: () => undefined,
        onSeal: () => undefined,
        onWritten: () => undefined,
        needed: () => Number.POSITIVE_INFINITY,
      });
    for (const run of [1, 2]) {
      const trail = await open();
      trail.append("write", {
        run,
        changes: [
          {
            kind: "resource",
            name: "x",
            before: null,
            after: { text: "a", seal: { chain: "n1-0", segment: 1 } },
          },
        ],
      });
      await trail.close();
    }
    const folder = join(directory, "n1-0");
    expect(await findingsIn(directory)).toEqual([]);
    expect([linesOf(folder).length, segmentTexts(folder).length]).toEqual([2, 1]);
  });

  it("names and cuts a torn last line", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory);
    for (let index = 0; index < 5; index++) log.decided(decidedBy(`user${index}`, "r"));
    await log.close();
    const file = join(directory, "n1-0", "0000000001.jsonl");
    truncateSync(file, statSync(file).size - 30);
    expect(await findingsIn(directory)).toEqual([expect.objectContaining({ file, line: 5, torn: true })]);
    const reports: unknown[] = [];
    const again = await openTestLog(
      directory,
      {},
      { report: (problem, fields) => reports.push([problem, fields]) },
    );
    again.decided(decidedBy("after", "r"));
    await again.close();
    expect(reports).toEqual([[expect.stringContaining("torn"), expect.objectContaining({ file })]]);
    const users = linesOf(join(directory, "n1-0")).map((line) => isDecision(line) && line.subject.id);
    expect(users).toEqual(["user0", "user1", "user2", "user3", "after"]);
    expect(await findingsIn(directory)).toEqual([]);
  });

  it("answers with sync each when the record is on disk, many at once", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory, { sync: "each" });
    const file = join(directory, "n1-0", "0000000001.jsonl");
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await log.decided(decidedBy(`user${index}`, "r"));
        expect(readFileSync(file, "utf8")).toContain(`"user${index}"`);
      }),
    );
    await log.close();
  });

  it("records what it is asked to include", async () => {
    const allowed = async (include: "none" | "denied" | "all" | 0.5, random: number) => {
      const log = await openTestLog(temporaryFolder(), { include }, { random: () => random });
      const wanted = [log.wants("allow"), log.wants("neutral"), log.wants("deny")];
      await log.close();
      return wanted;
    };
    expect(await allowed("none", 0)).toEqual([false, false, false]);
    expect(await allowed("denied", 0)).toEqual([false, true, true]);
    expect(await allowed("all", 0.9)).toEqual([true, true, true]);
    expect(await allowed(0.5, 0.4)).toEqual([true, true, true]);
    expect(await allowed(0.5, 0.5)).toEqual([false, true, true]);
  });

  it("removes old segments without breaking the chain, and tells them from lost ones", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory, { segmentBytes: 5_000, maxBytes: 20_000 });
    for (let index = 0; index < 300; index++) {
      log.decided(decidedBy(`user${index}`, "r"));
      if (index % 10 === 0) await log.written();
    }
    await log.close();
    const folder = join(directory, "n1-0");
    const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(names.length).toBeLessThan(8);
    expect(names[0]).not.toBe("0000000001.jsonl");
    const bytes = names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    expect(bytes).toBeLessThan(30_000);
    expect(await findingsIn(directory)).toEqual([]);
  });

  it("masks values so that equal ones stay equal", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory, { mask: ["/subject/id", "SourceIp"] });
    for (const [user, ip] of [
      ["alice", "10.0.0.1"],
      ["bob", "10.0.0.1"],
      ["alice", "10.0.0.2"],
    ] as const) {
      const call = { caller: { name: "admin" }, peer: ip, startedAt: 0, traceParent: undefined };
      log.decided({ ...decidedBy(user, "r"), context: new Map([["SourceIp", ip]]), call });
    }
    await log.close();
    const folder = join(directory, "n1-0");
    expect(segmentTexts(folder).join("")).not.toMatch(/10\.0\.0|"id":"(alice|bob)"/);
    const lines = linesOf(folder).filter(isDecision);
    const [first, second, third] = lines.map(({ subject, context }) => [subject.id, context?.["SourceIp"]]);
    expect(lines.map(({ caller }) => caller?.peer)).toEqual([first?.[1], second?.[1], third?.[1]]);
    expect(first?.[0]).toMatch(/^masked:[0-9a-f]{32}$/);
    expect(first?.[0]).toBe(third?.[0]);
    expect(first?.[0]).not.toBe(second?.[0]);
    expect(first?.[1]).toBe(second?.[1]);
    expect(first?.[1]).not.toBe(third?.[1]);
    expect(await findingsIn(directory)).toEqual([]);
  });

  it("masks an object by its values, so that the record keeps its form", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory, { mask: ["/resource", "/determining"] });
    log.decided(decidedBy("alice", "a-resource"));
    await log.close();
    const folder = join(directory, "n1-0");
    const [line] = linesOf(folder).filter(isDecision);
    expect(line?.resource).toEqual({ arn: expect.stringMatching(/^masked:[0-9a-f]{32}$/) });
    expect(line?.determining).toEqual([]);
    expect(segmentTexts(folder).join("")).not.toContain('"arn":"a-resource"');
  });

  it("masks what a pointer names in the items of a batch, too, each place once", async () => {
    const directory = temporaryFolder();
    const mask = ["/resource/arn", "/items/*/resource/arn", "/action"];
    const log = await openTestLog(directory, { mask });
    log.decided(decidedBy("alice", "hidden"));
    const batch = log.batch({ entrance: "filter", requestId: "r", call: undefined });
    batch.about({ user: "alice", action: "fs:ReadObject", loaded: undefined, context: new Map() });
    for (const id of ["hidden", "another"]) batch.add({ effect: "allow" }, `arn:svc:fs:::repository/${id}`);
    batch.end();
    await log.close();
    const folder = join(directory, "n1-0");
    expect(segmentTexts(folder).join("")).not.toMatch(/repository\/(hidden|another)|fs:Read/);
    const [one, many] = linesOf(folder).filter(isDecision);
    const arns = many?.items?.map(({ resource }) => resource?.arn);
    expect(arns).toHaveLength(2);
    expect(arns?.[0]).toBe(one?.resource?.arn);
    expect(arns?.[1]).not.toBe(one?.resource?.arn);
  });

  it("never contains its secret key", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory, { segmentBytes: 2_000 });
    for (let index = 0; index < 40; index++) log.decided(decidedBy(`user${index}`, "r"));
    await log.written();
    await tick();
    await log.close();
    expect(segmentTexts(join(directory, "n1-0")).join("")).not.toContain(SECRET);
  });

  it("reports a line that somebody appended", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory);
    log.decided(decidedBy("alice", "r"));
    await log.close();
    const file = join(directory, "n1-0", "0000000001.jsonl");
    appendFileSync(file, "{}\n");
    expect(await findingsIn(directory)).toEqual([expect.objectContaining({ file, line: 2, torn: false })]);
  });
});
