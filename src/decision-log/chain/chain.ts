/**
 * The chain of one process: lines are chained when they are added, written together, and closed segment by segment
 * (spec/decision-log §2).
 */

import { join } from "node:path";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import { chainName, segmentName } from "@svc-authorizer/policy/records/chain-files.ts";
import { type Sealed, sealOf } from "@svc-authorizer/policy/records/digests.ts";
import type { DecisionLogCounters } from "../counters.ts";
import type { ChainSettings } from "../settings.ts";
import type { LineText } from "./chain-line.ts";
import { type ChainState, writeState } from "./chain-state.ts";
import { ClosedSegments } from "./closed-segments.ts";
import { LineBuffer, type TakenLines } from "./line-buffer.ts";
import { type RecoveredChain, recoverChain } from "./recover.ts";
import { SegmentFileWriter } from "./segment-file.ts";

/** Longest time that a line waits for company, in milliseconds. */
const GATHER_MS = 100;
/** From this many bytes on, lines do not wait. */
const GATHER_BYTES = 1 << 20;
/** Time between two attempts to write where there is no room. */
const RETRY_MS = 1_000;
/** Time between two calls that bring the file to disk, with `sync: interval`. */
const SYNC_MS = 1_000;
/** Time between two looks at the age of segments. */
const MAINTENANCE_MS = 60_000;

/** A problem for the log of the service. */
export type Report = (problem: string, fields: Readonly<Record<string, unknown>>) => void;

/** The parts of a chain. */
export interface ChainOptions {
  readonly settings: ChainSettings;
  /** Key of the seals; undefined where the service has no secret key. */
  readonly sealKey: Buffer | undefined;
  /** The key before it, with which the state of the chain may be signed. */
  readonly formerSealKey?: Buffer | undefined;
  readonly counters: DecisionLogCounters;
  /** Begins a line: time and node. */
  readonly lineHead: () => string;
  readonly report: Report;
  /** Called with each seal after it is on disk. */
  readonly onSeal: (seal: Sealed & { readonly hmac?: string }) => void;
  /** Called after lines are on disk. */
  readonly onWritten: () => void;
  /** Number of the first segment that a sink still needs. */
  readonly needed: () => number;
  readonly now: () => number;
}

interface Writing extends TakenLines {
  /** The seal that ends these lines, if they close the segment. */
  readonly seal: Sealed | undefined;
  readonly waiters: readonly Waiter[];
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Appends lines to a chain. */
export class Chain {
  /** Folder of the chain. */
  readonly folder: string;
  readonly name: string;
  readonly #options: ChainOptions;
  readonly #lines: LineBuffer;
  readonly #closed: ClosedSegments;
  readonly #maintenance: NodeJS.Timeout;
  #file: SegmentFileWriter;
  #segment: number;
  /** Lines of the segment, also those that wait. */
  #count: number;
  #since: number | undefined;
  #failed: Writing | undefined;
  #error: unknown;
  #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  #running: Promise<void> | undefined;
  /** Milliseconds of `performance.now()`: a clock that is set back must not keep lines from the disk. */
  #syncedAt = Number.NEGATIVE_INFINITY;
  #closing = false;
  #hasEnded = false;
  #toldLate = false;

  private constructor(
    options: ChainOptions,
    recovered: RecoveredChain,
    file: SegmentFileWriter,
    folder: string,
    isStateWritten: boolean,
  ) {
    const { settings } = options;
    this.#options = options;
    this.folder = folder;
    this.name = chainName(settings.node, settings.worker);
    this.#lines = new LineBuffer(recovered.digest);
    this.#file = file;
    this.#segment = recovered.segment;
    this.#count = recovered.lines;
    this.#since = recovered.since;
    this.#closed = new ClosedSegments({
      ...options,
      folder,
      state: recovered.state,
      isStateWritten,
      open: () => this.#segment,
    });
    this.#closed.add(recovered.uncompressed);
    this.#maintenance = setInterval(() => this.#maintain(), MAINTENANCE_MS).unref();
  }

  /**
   * Opens the chain of this process, whose folder the caller has locked. A torn last line is cut and reported. A disk
   * without room is reported: the chain then is as one whose disk became full while it was open.
   * Rejects with any other error of the file system.
   */
  static async open(options: ChainOptions): Promise<Chain> {
    const { settings, report, sealKey, formerSealKey } = options;
    const folder = join(settings.directory, chainName(settings.node, settings.worker));
    const keys = sealKey === undefined ? [] : [sealKey, formerSealKey ?? sealKey];
    const recovered = await recoverChain(folder, keys);
    const { segment, cut, fault } = recovered;
    const path = join(folder, segmentName(segment));
    if (fault !== undefined) report("the decision log is damaged; verify it", { folder, fault });
    if (cut > 0)
      report("the last record of the decision log was torn and is cut", { file: path, bytes: cut });
    const file = await SegmentFileWriter.open(path);
    const state: ChainState = { ...recovered.state, newest: segment };
    let isStateWritten = true;
    try {
      await writeState(folder, state, sealKey);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      report("the decision log has no room", { folder, reason: messageOf(error) });
      isStateWritten = false;
    }
    return new Chain(options, { ...recovered, state }, file, folder, isStateWritten);
  }

  /** Bytes that wait to be written. */
  get waitingBytes(): number {
    return this.#lines.bytes + (this.#failed?.bytes ?? 0);
  }

  /** Number of lines that are in no file, as there is no room. */
  get unwritten(): number {
    return this.#error === undefined ? 0 : this.#options.counters.waiting;
  }

  /** The error of the last attempt to write, as long as there is no room. */
  get failure(): unknown {
    return this.#error;
  }

  /** Adds a line. One that comes after the end is counted and reported: nobody else would say that it is missing. */
  add(text: LineText): void {
    if (this.#hasEnded) {
      this.#lose();
      return;
    }
    this.#lines.add(text);
    this.#count++;
    this.#since ??= this.#options.now();
    this.#options.counters.waiting++;
    this.#schedule();
  }

  /** Resolves when all lines added so far are on disk; rejects if they cannot be written now. */
  written(): Promise<void> {
    if (this.#hasEnded) return Promise.reject(new Error("the log is closed"));
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Writes what waits and closes the files. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#maintenance);
    this.#clearTimer();
    await this.#running;
    await this.#write();
    this.#end();
    if (this.#failed === undefined) await this.#file.sync().catch(() => undefined);
    await this.#file.close().catch(() => undefined);
    await this.#closed.done();
  }

  /** From now on nothing is taken; what could not be written is lost, and said. */
  #end(): void {
    this.#hasEnded = true;
    this.#error ??= new Error("the log is closed");
    const lost = this.#lines.lines + (this.#failed?.lines ?? 0);
    if (lost === 0) return;
    const { counters, report } = this.#options;
    counters.lost += lost;
    report("the decision log was closed with records that could not be written", {
      folder: this.folder,
      lost,
    });
  }

  #lose(): void {
    const { counters, report } = this.#options;
    counters.lost++;
    if (this.#toldLate) return;
    this.#toldLate = true;
    report("a record came after the decision log was closed, which lacks it", { folder: this.folder });
  }

  #schedule(): void {
    if (this.#running !== undefined || this.#failed !== undefined || this.#closing) return;
    const { sync } = this.#options.settings;
    if (sync === "each" || this.#waiters.length > 0) {
      this.#timer ??= setImmediate(() => this.#start());
    } else if (this.#lines.bytes >= GATHER_BYTES) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), GATHER_MS);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer as NodeJS.Timeout | undefined);
    clearImmediate(this.#timer as NodeJS.Immediate | undefined);
    this.#timer = undefined;
  }

  #start(): void {
    this.#clearTimer();
    if (this.#running !== undefined) return;
    this.#running = this.#write().finally(() => {
      this.#running = undefined;
      if (this.#failed !== undefined && !this.#closing) {
        this.#timer = setTimeout(() => this.#start(), RETRY_MS).unref();
      } else if (this.#lines.lines > 0 || this.#waiters.length > 0) this.#schedule();
    });
  }

  async #write(): Promise<void> {
    while (this.#failed !== undefined || this.#lines.lines > 0 || this.#waiters.length > 0) {
      const writing = this.#failed ?? this.#take();
      try {
        await this.#file.append(writing.blocks, writing.bytes);
        await this.#sync(writing.waiters.length > 0 || writing.seal !== undefined);
        this.#failed = undefined;
        this.#error = undefined;
      } catch (error) {
        this.#fail(writing, error);
        return;
      }
      this.#wrote(writing);
      this.#lines.release(writing);
      if (writing.seal !== undefined) await this.#next(writing.seal);
      if (this.#mayGather()) return;
    }
  }

  /** True if the lines that came meanwhile may wait for more: a write costs as much as encoding ten of them. */
  #mayGather(): boolean {
    const { sync } = this.#options.settings;
    if (this.#closing || sync === "each" || this.#waiters.length > 0) return false;
    return this.#lines.bytes < GATHER_BYTES;
  }

  #take(): Writing {
    const seal = this.#isDue() ? this.#seal() : undefined;
    const waiters = this.#waiters;
    this.#waiters = [];
    return { ...this.#lines.take(), seal, waiters };
  }

  #isDue(): boolean {
    const { segmentBytes, segmentAgeMs } = this.#options.settings;
    if (this.#count === 0) return false;
    const old = this.#since !== undefined && this.#options.now() - this.#since >= segmentAgeMs;
    return old || this.#file.size + this.#lines.bytes >= segmentBytes;
  }

  /** Adds the line that closes the segment. */
  #seal(): Sealed & { readonly hmac?: string } {
    const { lineHead, sealKey } = this.#options;
    const sealed: Sealed = {
      chain: this.name,
      segment: this.#segment,
      lines: this.#count,
      digest: this.#lines.digest,
    };
    const seal = sealKey === undefined ? sealed : { ...sealed, hmac: sealOf(sealed, sealKey) };
    this.#lines.add({ head: `${lineHead()},"seal":${JSON.stringify(seal)}` });
    this.#options.counters.waiting++;
    this.#count = 0;
    this.#since = undefined;
    return seal;
  }

  async #sync(now: boolean): Promise<void> {
    const time = performance.now();
    if (!now && this.#options.settings.sync === "interval" && time - this.#syncedAt < SYNC_MS) return;
    await this.#file.sync();
    this.#syncedAt = time;
  }

  #wrote({ bytes, lines, waiters }: Writing): void {
    const { counters, onWritten } = this.#options;
    counters.bytes += bytes;
    counters.records += lines;
    counters.waiting -= lines;
    for (const { resolve } of waiters) resolve();
    onWritten();
  }

  /** Keeps the lines for the next attempt. Who waits for them is told now. */
  #fail(writing: Writing, error: unknown): void {
    const { counters, report } = this.#options;
    counters.failures++;
    if (this.#error === undefined) {
      report("the decision log cannot be written", { folder: this.folder, reason: messageOf(error) });
    }
    this.#error = error ?? new Error("unknown");
    for (const { reject } of [...writing.waiters, ...this.#waiters]) reject(error);
    this.#waiters = [];
    this.#failed = { ...writing, waiters: [] };
  }

  /** Opens the next segment. */
  async #next(seal: Sealed): Promise<void> {
    const { report, onSeal } = this.#options;
    const { path } = this.#file;
    await this.#file.close().catch(() => undefined);
    this.#segment++;
    for (;;) {
      try {
        this.#file = await SegmentFileWriter.open(join(this.folder, segmentName(this.#segment)));
        break;
      } catch (error) {
        report("the next segment of the decision log cannot be opened", { reason: messageOf(error) });
        this.#error = error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (this.#closing) return;
      }
    }
    this.#error = undefined;
    onSeal(seal);
    this.#closed.rotated(this.#segment);
    this.#closed.add([{ number: seal.segment, path, compressed: false }]);
  }

  #maintain(): void {
    if (this.#isDue() && this.#running === undefined && this.#failed === undefined) {
      this.#waiters.push({ resolve: () => undefined, reject: () => undefined });
      this.#start();
    }
    this.#closed.tidy();
  }
}

function isNoRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}
