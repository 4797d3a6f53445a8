/**
 * A reader of `GET /api/v1/replica` (journal.md §6.5): the directory and what changes in it, as lines of JSON. What is
 * sent is read when the reader has taken what was sent before, so that a slow reader costs no memory.
 */

import { setTimeout as delay } from "node:timers/promises";
import { drained } from "../../http/drained.ts";
import type { RawCall } from "../../http/route.ts";
import { Turns } from "../../schedule/turns.ts";
import type { ChangeLog, DecisionSettings, LoggedEntry, ReplicaRecords, SentRecord } from "./ports.ts";
import type { StartingPoint } from "./starting-point.ts";

/** Options of the replica stream. */
export interface ReplicaSettings {
  /** Milliseconds between two tellings of the newest revision. */
  readonly beatMs: number;
  /** Milliseconds for which a reader may take nothing. */
  readonly patienceMs: number;
}

export const REPLICA_SETTINGS: ReplicaSettings = { beatMs: 5_000, patienceMs: 60_000 };

/** Parts of a stream. */
export interface ReplicaParts {
  readonly log: ChangeLog;
  readonly records: ReplicaRecords;
  readonly settings: ReplicaSettings;
  readonly decisions: DecisionSettings;
}

const PAGE = 50;
const CHUNK_BYTES = 64 * 1024;

/** The reader is gone. */
class ReaderGone extends Error {}

/** Sends a replica to one reader. */
export class ReplicaStream {
  readonly #parts: ReplicaParts;
  readonly #call: RawCall<never>;
  readonly #turns = new Turns();
  #chunk = "";

  constructor(parts: ReplicaParts, call: RawCall<never>) {
    this.#parts = parts;
    this.#call = call;
  }

  /** Sends until the reader is gone, or this process was without contact to its database for too long. */
  async run(from: StartingPoint): Promise<void> {
    const { log, settings, decisions } = this.#parts;
    let at = typeof from === "number" ? from : undefined;
    let beatDue = 0;
    try {
      for (;;) {
        log.assertFresh();
        const entries = at === undefined || at > log.newest ? undefined : await log.entries(at, PAGE);
        if (at === undefined || entries === undefined) at = await this.#sendCheckpoint();
        for (const entry of entries ?? []) {
          if (!(await this.#sendEntry(entry))) {
            at = undefined;
            break;
          }
          at = entry.revision;
        }
        if (performance.now() >= beatDue) {
          const age_ms = Math.round(log.staleness());
          this.#line({ type: "revision", revision: log.newest, age_ms, settings: decisions });
          beatDue = performance.now() + settings.beatMs;
        }
        await this.#flush();
        if (at !== undefined && at >= log.newest) await this.#news(beatDue - performance.now());
      }
    } catch (error) {
      if (!(error instanceof ReaderGone)) throw error;
    }
  }

  /**
   * Sends the whole state. It is read page by page from states that follow each other, and what was written meanwhile
   * is sent behind it, which gives the state of the last of them: no snapshot is held for as long as a reader takes.
   * @returns its revision
   */
  async #sendCheckpoint(): Promise<number> {
    const { log, records } = this.#parts;
    for (;;) {
      const began = log.newest;
      this.#line({ type: "checkpoint", log: log.logId });
      let count = 0;
      for (const partition of records.partitions) {
        for (let after: string | undefined; ; ) {
          const page = await records.page(partition, after);
          if (page.length === 0) break;
          count += await this.#sendRecords(page);
          after = page.at(-1)![1];
        }
      }
      const end = await this.#sendSince(began);
      if (end === undefined) continue;
      count += end.count;
      this.#line({ type: "complete", revision: end.revision, records: count });
      return end.revision;
    }
  }

  /** Sends what was written after a revision; undefined where that is no longer kept. */
  async #sendSince(
    began: number,
  ): Promise<{ readonly revision: number; readonly count: number } | undefined> {
    const { log, records } = this.#parts;
    let [revision, count] = [began, 0];
    while (revision !== log.newest) {
      if (log.newest < revision) return undefined;
      const writes = await records.writes(revision + 1);
      if (writes === undefined) return undefined;
      count += await this.#sendRecords(writes);
      revision += 1;
    }
    return { revision, count };
  }

  /** Sends an entry; false where it is no longer kept. */
  async #sendEntry({ revision, at, ids }: LoggedEntry): Promise<boolean> {
    const writes = await this.#parts.records.writes(revision);
    if (writes === undefined) return false;
    this.#line({ type: "entry", revision, at, change: ids });
    const count = await this.#sendRecords(writes);
    this.#line({ type: "complete", revision, records: count });
    return true;
  }

  async #sendRecords(records: readonly SentRecord[]): Promise<number> {
    for (const record of records) {
      this.#line(record);
      if (this.#chunk.length >= CHUNK_BYTES) await this.#flush();
      if (this.#turns.spent) await this.#turns.yield();
    }
    return records.length;
  }

  #line(value: object): void {
    this.#chunk += `${JSON.stringify(value)}\n`;
  }

  /** Writes what is gathered, and waits until the reader has taken it. */
  async #flush(): Promise<void> {
    const { response } = this.#call;
    if (response.destroyed || response.writableEnded) throw new ReaderGone();
    if (this.#chunk === "") return;
    const chunk = this.#chunk;
    this.#chunk = "";
    this.#call.deadline = performance.now() + this.#parts.settings.patienceMs;
    if (response.write(chunk)) return;
    await drained(response);
  }

  /** Waits for the next entry, or for the next beat. */
  async #news(ms: number): Promise<void> {
    const { log } = this.#parts;
    const { response } = this.#call;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = log.onEntry(resolve);
    response.once("close", resolve);
    const ended = new AbortController();
    const timer = delay(Math.max(1, ms), undefined, { signal: ended.signal }).catch(() => undefined);
    await Promise.race([promise, timer]);
    ended.abort();
    stop();
    response.off("close", resolve);
  }
}
