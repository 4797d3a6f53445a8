/** Acts for all mirrors of a service: a pass for each of them whenever it is due, until it is closed. */

import { isDeepStrictEqual } from "node:util";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { LONGEST_TIMER_MS } from "../schedule/longest-timer.ts";
import type { Store } from "../store/port.ts";
import { MirrorController } from "./controller.ts";
import type { MirrorCounters } from "./counters.ts";
import { deleteRepository } from "./deletion.ts";
import { LeaseLost } from "./lease.ts";
import type { MirrorPhase, MirrorReport } from "./mirror.ts";
import { MirrorRecords, type RecordedMirror } from "./mirror-records.ts";
import { reportOf, unknownRegion } from "./mirror-report.ts";
import type { Destination } from "./ports.ts";
import { Progress } from "./progress/progress.ts";
import { sweepProgress } from "./progress/sweep-progress.ts";
import type { TellFailure } from "./promotion-failures.ts";
import type { ServerAccesses } from "./servers.ts";

/** Passes at once. */
const AT_ONCE = 4;
/** A lease of another process is looked at this often at least, in milliseconds, so that it is taken over in time. */
const LEASE_LOOK_MS = 15_000;
/** Wait after the store failed, in milliseconds. */
const STORE_RETRY_MS = 1_000;
/** Longest wait of a mirror whose passes fail, in milliseconds. */
const LONGEST_WAIT_MS = 600_000;
/** Time in milliseconds for which closing lets a call to a data server come to its end. */
const CLOSE_MS = 3_000;

/** Port: the log. Fields hold no secrets. */
interface MirrorLog {
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Settings of passes; times in milliseconds. */
interface MirrorSettings {
  readonly scanMs: number;
  readonly verifyMs: number;
  readonly recheckMissingMs: number;
  /** 0 for none. */
  readonly recheckMs: number;
  readonly blocksExternal: boolean;
}

/** Parts of a runner. */
interface RunnerOptions {
  readonly store: Store;
  readonly servers: Pick<ServerAccesses, "for" | "forget" | "sweep">;
  readonly settings: MirrorSettings;
  readonly counters: MirrorCounters;
  readonly log: MirrorLog;
  /** Hears of branches that cannot be changed: the audit log. */
  readonly tellFailure: TellFailure;
  /** Aborts calls under way: the end of closing. */
  readonly abort: AbortController;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

/** The work for one mirror. */
interface Work {
  readonly record: RecordedMirror;
  readonly abort: AbortController;
  readonly controller: MirrorController | undefined;
  /** Monotonic milliseconds. */
  dueAt: number;
  failures: number;
  phase: string;
  running: Promise<void> | undefined;
}

/** Runs the mirrors. */
export class MirrorRunner {
  readonly #options: RunnerOptions;
  readonly #records: MirrorRecords;
  readonly #now: () => number;
  readonly #works = new Map<string, Work>();
  #running: Promise<void> | undefined;
  #unsubscribe = (): void => {};
  #isClosing = false;
  #isWoken = false;
  #wakeUp = (): void => {};

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#records = new MirrorRecords(options.store, () => Math.floor(this.#now() / 1_000));
  }

  /** Begins; calling it twice is harmless. */
  start(): void {
    if (this.#running !== undefined) return;
    // A write of a mirror's record says so.
    this.#unsubscribe = this.#options.store.subscribe(({ change }) => {
      if (change?.all === true) this.wake();
    });
    this.#running = this.#run();
  }

  /** Looks at the records now. */
  wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  /** Ends all passes; a call under way is given a moment. What it leaves, the next process finds out. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#unsubscribe();
    for (const { abort } of this.#works.values()) abort.abort();
    this.wake();
    const timer = setTimeout(() => this.#options.abort.abort(), CLOSE_MS);
    await this.#running;
    await Promise.all([...this.#works.values()].map(({ running }) => running));
    clearTimeout(timer);
    // Calls that requests made, too: nobody waits for their answers any more.
    this.#options.abort.abort();
  }

  async #run(): Promise<void> {
    try {
      await sweepProgress(this.#options.store);
      const known = await this.#records.all();
      await this.#options.servers.sweep(new Set(known.map(({ mirror }) => mirror.uid)));
    } catch (error) {
      this.#options.log.warn("what is left of mirrors that are no more cannot be removed", { error });
    }
    while (!this.#isClosing) {
      this.#isWoken = false;
      let waitMs = STORE_RETRY_MS;
      try {
        this.#arrange(await this.#records.all());
        waitMs = this.#begin();
      } catch (error) {
        this.#options.log.warn("the mirrors cannot be read", { error });
      }
      await this.#sleep(waitMs);
    }
  }

  /** Makes the work that the records ask for, and ends what they do not ask for any more. */
  #arrange(records: readonly RecordedMirror[]): void {
    const asked = new Map(records.map((record) => [record.mirror.uid, record]));
    for (const [uid, work] of this.#works) {
      // Of another state, too, it begins anew: none of its commits would be taken.
      if (isDeepStrictEqual(asked.get(uid)?.unchanged, work.record.unchanged)) continue;
      work.abort.abort();
      // The next work for it begins when this one has ended.
      if (work.running !== undefined) continue;
      this.#works.delete(uid);
      const { region, name } = work.record.mirror;
      this.#options.counters.forget(region, name);
    }
    for (const [uid, record] of asked) if (!this.#works.has(uid)) this.#works.set(uid, this.#workOf(record));
  }

  #workOf(record: RecordedMirror): Work {
    const { store, servers, settings, tellFailure } = this.#options;
    const { mirror } = record;
    const abort = new AbortController();
    const { source, destinations } = servers.for(mirror);
    const destination = destinations.get(mirror.region);
    const isKept = mirror.isDeleting !== true && record.goneAt === undefined;
    const controller =
      destination === undefined || !isKept
        ? undefined
        : new MirrorController(mirror, {
            store,
            source,
            destination,
            blocksExternal: settings.blocksExternal,
            recheckMissingMs: settings.recheckMissingMs,
            recheckMs: settings.recheckMs,
            expects: [record.unchanged],
            tellFailure,
            signal: abort.signal,
            now: this.#now,
          });
    return { record, abort, controller, dueAt: 0, failures: 0, phase: "", running: undefined };
  }

  /** Begins the work that is due; returns the milliseconds to the next one. */
  #begin(): number {
    const now = performance.now();
    const works = [...this.#works.values()];
    const passes = works.filter(
      ({ running, controller }) => running !== undefined && controller !== undefined,
    );
    let places = AT_ONCE - passes.length;
    let next = this.#options.settings.scanMs;
    for (const work of works.sort((left, right) => left.dueAt - right.dueAt)) {
      if (work.running !== undefined) continue;
      // A pass may take hours; what is short does not wait for one.
      const isShort = work.controller === undefined;
      if (work.dueAt > now) next = Math.min(next, work.dueAt - now);
      else if (places > 0 || isShort) {
        if (!isShort) places -= 1;
        work.running = this.#work(work).finally(() => {
          work.running = undefined;
          this.wake();
        });
      }
    }
    return Math.max(next, 1);
  }

  async #work(work: Work): Promise<void> {
    const { settings, counters, log } = this.#options;
    const { mirror } = work.record;
    const { region, name } = mirror;
    let waitMs: number;
    try {
      waitMs = await this.#step(work);
      work.failures = 0;
    } catch (error) {
      if (work.abort.signal.aborted) return;
      const isLost = error instanceof LeaseLost || isErrorCode(error, "conflict");
      waitMs = isLost ? settings.verifyMs : Math.min(settings.verifyMs * 2 ** work.failures, LONGEST_WAIT_MS);
      if (!isLost) {
        work.failures = Math.min(work.failures + 1, 16);
        const report = work.controller?.newest;
        counters.noteError(region, name, error, report);
        if (report !== undefined) this.#tellState(work, report);
        log.warn("a pass over a mirror failed", { mirror: name, region, error });
      }
    }
    work.dueAt = performance.now() + waitMs;
  }

  /** Does what is due; returns the milliseconds to the next time. */
  async #step(work: Work): Promise<number> {
    const { settings, servers } = this.#options;
    const { record, controller } = work;
    const { region, isDeleting } = record.mirror;
    if (record.goneAt !== undefined) return this.#forget(record);
    const destination = servers.for(record.mirror).destinations.get(region);
    if (destination === undefined) {
      this.#noteState(work, "failed", unknownRegion(region));
      return settings.scanMs;
    }
    if (isDeleting === true) {
      this.#noteState(work, "deleting", "");
      return this.#delete(record, destination);
    }
    const report = await controller?.pass();
    if (report === undefined) {
      // Whoever acts for it tells its state.
      this.#options.counters.forget(region, record.mirror.name);
      work.phase = "";
      return Math.min(settings.verifyMs, LEASE_LOOK_MS);
    }
    this.#options.counters.noteReport(region, record.mirror.name, report);
    this.#tellState(work, report);
    const isWaiting = report.phase === "creating" || report.commitsPending > 0;
    return isWaiting ? Math.min(settings.verifyMs, settings.scanMs) : settings.scanMs;
  }

  #noteState(work: Work, phase: MirrorPhase, reason: string): void {
    const { region, name } = work.record.mirror;
    const report = { ...reportOf(undefined, this.#now()), phase, reason };
    this.#options.counters.noteState(region, name, report);
    this.#tellState(work, report);
  }

  #tellState(work: Work, { phase, reason }: MirrorReport): void {
    if (phase === work.phase) return;
    work.phase = phase;
    const { log } = this.#options;
    const { region, name } = work.record.mirror;
    const tell = phase === "failed" || phase === "degraded" ? log.warn.bind(log) : log.info.bind(log);
    tell("the state of a mirror is another one", { mirror: name, region, state: phase, reason });
  }

  async #delete(record: RecordedMirror, destination: Destination): Promise<number> {
    const { store, settings, servers } = this.#options;
    const expects = [record.unchanged];
    const isGone = await deleteRepository(record.mirror, { store, destination, expects, now: this.#now });
    if (isGone === true) {
      await servers.forget(record.mirror);
      await this.#records.noteGone(record);
    }
    return isGone === undefined ? Math.min(settings.verifyMs, LEASE_LOOK_MS) : settings.verifyMs;
  }

  /** Forgets a mirror that is gone once its name has rested. */
  async #forget(record: RecordedMirror): Promise<number> {
    if (!this.#records.hasRested(record)) return Math.min(this.#options.settings.verifyMs, LEASE_LOOK_MS);
    await Progress.forget(this.#options.store, record.mirror.uid, record.unchanged);
    await this.#records.remove(record);
    return this.#options.settings.scanMs;
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isWoken || this.#isClosing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = () => {};
  }
}
