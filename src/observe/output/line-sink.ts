/**
 * A queue of lines in front of a target: bounded in memory, with a reserve for audit lines, written in batches off the
 * caller's time, tried again after a failure, flushed at close and at exit. Every accepted line is written at least
 * once; after a failed write some may appear twice.
 *
 * docs/decisions/0011-logs-and-metrics.md says why it is not pino's own destination.
 */

import { writeSync } from "node:fs";
import { setImmediate as endOfTurn, setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@svc-authorizer/policy/errors.ts";

/** Mode of files that this service creates: logs and audit logs name users and resources. */
export const FILE_MODE = 0o600;

/** Target of batches of whole lines. The sink calls one of `write`, `reopen` and `close` at a time. */
export interface LineTarget {
  /** Writes a batch of lines; resolves when the operating system has all of it. */
  write(batch: string): Promise<void>;
  /**
   * Writes, at the end of the process when no promise resolves any more, what the operating system has not yet got of
   * the batch in progress, then `text`. Throws when that fails.
   */
  writeSync(text: string): void;
  /** Closes the file and opens the path again (after an external rotation). */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Bounds of a sink in memory and time. */
interface SinkLimits {
  /** UTF-16 units of lines waiting. */
  readonly waiting: number;
  /** Units more that only essential lines may take. */
  readonly reserve: number;
  /** Between two attempts after a failure, in milliseconds. */
  readonly retryMs: number;
  /** Longest time that closing waits for a target that stalls, in milliseconds. */
  readonly closeMs: number;
}

const DEFAULT_LIMITS: SinkLimits = {
  waiting: 8 * 1024 * 1024,
  reserve: 24 * 1024 * 1024,
  retryMs: 1_000,
  closeMs: 3_000,
};
const BATCH_UNITS = 64 * 1024;
/** Shortest time from one write to the next while little is waiting, in milliseconds: a write costs as much as dozens of lines. */
const WRITE_EVERY_MS = 5;
const REPORT_EVERY_MS = 60_000;

const savers = new Set<() => void>();

function saveAll(): void {
  for (const save of savers) save();
}

/**
 * Calls `save` (which must not throw) when the process exits without an orderly close; returns what cancels that. One
 * listener serves all sinks, so that many services in one process raise no warning.
 */
function saveAtExit(save: () => void): () => void {
  if (savers.size === 0) process.on("exit", saveAll);
  savers.add(save);
  return () => {
    savers.delete(save);
    if (savers.size === 0) process.off("exit", saveAll);
  };
}

/** Reports on standard error: the log itself has failed. */
function reportOnStandardError(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // Standard error is closed or full.
  }
}

/** See the top of the file. */
export class LineSink {
  readonly #name: string;
  readonly #target: LineTarget;
  readonly #limits: SinkLimits;
  readonly #report: (text: string) => void;
  readonly #cancelExit: () => void;
  #waiting: string[] = [];
  #units = 0;
  #batch: string | undefined;
  /** The target is writing the batch. */
  #writing = false;
  #busy = false;
  /** Milliseconds of `performance.now()`: when the last write began. */
  #wroteAt = Number.NEGATIVE_INFINITY;
  #failing = false;
  #reopenWanted = false;
  #pumping: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;
  /** Milliseconds of `performance.now()`. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** Lines refused because too much was waiting. */
  dropped = 0;

  /** @param name how failures call the target, e.g. its path */
  constructor(
    name: string,
    target: LineTarget,
    limits: Partial<SinkLimits> = {},
    report: (text: string) => void = reportOnStandardError,
  ) {
    this.#name = name;
    this.#target = target;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
    this.#report = report;
    this.#cancelExit = saveAtExit(() => this.#save(""));
  }

  /**
   * Takes one line, which ends with a line feed. Returns false if it was dropped because the target is slower than
   * its writers or fails. `essential` lines have a reserve of their own.
   */
  write(line: string, essential = false): boolean {
    if (this.#closed) return this.#save(line);
    const limit = this.#limits.waiting + (essential ? this.#limits.reserve : 0);
    if (this.#units + line.length > limit) {
      this.dropped++;
      return false;
    }
    this.#waiting.push(line);
    this.#units += line.length;
    if (this.#retry === undefined) this.#pump();
    return true;
  }

  /** True after a failed attempt, until one succeeds: lines are kept in memory. */
  get failing(): boolean {
    return this.#failing;
  }

  /** Reopens the target's file once everything written before is in the old one. */
  reopen(): void {
    if (this.#closed) return;
    this.#reopenWanted = true;
    this.#stopRetry();
    this.#pump();
  }

  /** Writes everything and closes the target. Lines that it refuses or does not take in time are reported and lost. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stopRetry();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<"stalled">((resolve) => {
      timer = setTimeout(resolve, this.#limits.closeMs, "stalled");
    });
    const end = await Promise.race([this.#flushAndClose(), patience]);
    clearTimeout(timer);
    this.#closed = true;
    this.#stopRetry();
    this.#cancelExit();
    if (this.#batch === undefined && this.#waiting.length === 0) return;
    // A synchronous attempt on a target that stalls would stop the process.
    if (end === "stalled" || !this.#save("")) {
      this.#report(`log output ${this.#name}: closed with lines that could not be written`);
    }
  }

  async #flushAndClose(): Promise<void> {
    // Twice: a batch that failed while this began gets one more attempt.
    for (let attempt = 0; attempt < 2; attempt++) {
      this.#stopRetry();
      this.#pump();
      await this.#pumping;
    }
    try {
      await this.#target.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  #pump(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#pumping = this.#writeWaiting();
  }

  async #writeWaiting(): Promise<void> {
    // The lines of one turn of the event loop go out together: a write costs more than the line that it writes.
    await endOfTurn();
    try {
      for (;;) {
        await this.#gatherMore();
        if (this.#reopenWanted) {
          this.#reopenWanted = false;
          await this.#target.reopen();
        }
        this.#batch ??= this.#takeBatch();
        if (this.#batch === undefined) break;
        this.#wroteAt = performance.now();
        this.#writing = true;
        await this.#target.write(this.#batch);
        this.#units -= this.#batch.length;
        this.#batch = undefined;
        this.#writing = false;
        this.#failing = false;
      }
    } catch (error) {
      this.#fail(error);
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#pump();
      }, this.#limits.retryMs).unref();
    }
    this.#writing = false;
    this.#busy = false;
  }

  /** A line after a pause is written at once; of many in a row, those of a few milliseconds together. */
  async #gatherMore(): Promise<void> {
    const pause = this.#wroteAt + WRITE_EVERY_MS - performance.now();
    const waits = this.#units < BATCH_UNITS && !this.#reopenWanted && this.#closing === undefined;
    if (pause > 0 && waits) await sleep(pause);
  }

  #takeBatch(): string | undefined {
    let count = 0;
    for (let units = 0; count < this.#waiting.length && units < BATCH_UNITS; count++) {
      units += (this.#waiting[count] as string).length;
    }
    return count === 0 ? undefined : this.#waiting.splice(0, count).join("");
  }

  #stopRetry(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  #fail(error: unknown): void {
    this.#failing = true;
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    this.#report(`log output ${this.#name}: ${messageOf(error)}`);
  }

  /** Writes synchronously what is left, then `line`: at exit, and for lines after the close. */
  #save(line: string): boolean {
    const batch = this.#writing ? "" : (this.#batch ?? "");
    const left = batch + this.#waiting.join("") + line;
    this.#batch = undefined;
    this.#waiting = [];
    try {
      this.#target.writeSync(left);
      return true;
    } catch (error) {
      this.#fail(error);
      this.dropped++;
      return false;
    }
  }
}
