import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { LineTarget } from "../../src/observe/output/line-sink.ts";
import { LineSink } from "../../src/observe/output/line-sink.ts";

/** A target that does what a full disk or a stalled reader does, which no real file does on demand. */
class FaultyTarget implements LineTarget {
  written = "";
  closed = false;
  failure: Error | undefined;
  stalled: Promise<void> | undefined;
  release = (): void => {};

  stall(): void {
    this.stalled = new Promise((resolve) => {
      this.release = () => {
        this.stalled = undefined;
        resolve();
      };
    });
  }

  async write(batch: string): Promise<void> {
    if (this.stalled) await this.stalled;
    this.writeSync(batch);
  }

  writeSync(text: string): void {
    if (this.failure) throw this.failure;
    this.written += text;
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {
    this.closed = true;
  }
}

const LINE = `${"x".repeat(99)}\n`;

function sinkOf(target: LineTarget): { sink: LineSink; reports: string[] } {
  const reports: string[] = [];
  const limits = { waiting: 1_000, reserve: 500, retryMs: 5, closeMs: 50 };
  return { sink: new LineSink("out", target, limits, (text) => reports.push(text)), reports };
}

describe("a sink", () => {
  it("whose target stalls keeps a bounded number of lines, with a reserve for essential ones", async () => {
    const target = new FaultyTarget();
    target.stall();
    const { sink } = sinkOf(target);
    const taken = Array.from({ length: 20 }, () => sink.write(LINE)).filter(Boolean).length;
    expect(taken).toBe(10);
    expect(sink.dropped).toBe(10);
    expect(Array.from({ length: 6 }, () => sink.write(LINE, true))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
    ]);
    target.release();
    await sink.close();
    expect(target.written).toBe(LINE.repeat(15));
    expect(target.closed).toBe(true);
  });

  it("has room again once the target goes on", async () => {
    const target = new FaultyTarget();
    target.stall();
    const { sink } = sinkOf(target);
    while (sink.write(LINE));
    target.release();
    await expect.poll(() => target.written).toBe(LINE.repeat(10));
    expect(sink.write(LINE)).toBe(true);
    await sink.close();
    expect(target.written).toBe(LINE.repeat(11));
  });

  it("whose target fails reports once, keeps the lines and writes them in order when it works again", async () => {
    const target = new FaultyTarget();
    target.failure = new Error("no space left");
    const { sink, reports } = sinkOf(target);
    sink.write("1\n");
    await expect.poll(() => sink.failing).toBe(true);
    sink.write("2\n");
    await sleep(30);
    expect(sink.failing).toBe(true);
    expect(reports).toEqual(["log output out: no space left"]);
    target.failure = undefined;
    await expect.poll(() => target.written).toBe("1\n2\n");
    await expect.poll(() => sink.failing).toBe(false);
    await sink.close();
  });

  it("whose target fails again is told of again in time where the clock is set back", async () => {
    const target = new FaultyTarget();
    const monotonic = performance.now.bind(performance);
    vi.useFakeTimers({ toFake: ["Date"] });
    target.failure = new Error("ENOSPC");
    const { sink, reports } = sinkOf(target);
    sink.write(LINE);
    await expect.poll(() => reports.length).toBe(1);
    vi.setSystemTime(Date.now() - 3_600_000);
    vi.spyOn(performance, "now").mockImplementation(() => monotonic() + 600_000);
    await expect.poll(() => reports.length).toBe(2);
    vi.useRealTimers();
    vi.restoreAllMocks();
    target.failure = undefined;
    await sink.close();
  });

  it("does not wait for ever at close", async () => {
    const target = new FaultyTarget();
    target.stall();
    const { sink, reports } = sinkOf(target);
    sink.write(LINE);
    await sink.close();
    expect(reports).toEqual(["log output out: closed with lines that could not be written"]);
  });

  it("leaves no listener of the process behind", async () => {
    const before = process.listenerCount("exit");
    const sinks = Array.from({ length: 20 }, () => sinkOf(new FaultyTarget()).sink);
    expect(process.listenerCount("exit")).toBeLessThanOrEqual(before + 1);
    await Promise.all(sinks.map((sink) => sink.close()));
    expect(process.listenerCount("exit")).toBe(before);
  });
});
