/**
 * A reader of `GET /api/v1/replica` (spec/journal §6.5): the directory and what changes in it, as lines of JSON. What is
 * sent is read when the reader has taken what was sent before, so that a slow reader costs no memory.
 */

import { setTimeout as delay } from "node:timers/promises";
import { shortId } from "@svc-authorizer/policy/model/position.ts";
import { drained } from "../../http/drained.ts";
import type { RawCall } from "../../http/route.ts";
import { Pace } from "../../schedule/pace.ts";
import { entriesAfter } from "./entries-after.ts";
import type {
  ChangeLog,
  DecisionSettings,
  EntryName,
  LoggedEntry,
  ReplicaRecords,
  SentRecord,
} from "./ports.ts";
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
interface ReplicaParts {
  readonly log: ChangeLog;
  readonly records: ReplicaRecords;
  readonly settings: ReplicaSettings;
  readonly decisions: DecisionSettings;
}

const PAGE = 50;
const CHUNK_BYTES = 64 * 1024;
/** Time until the next look, in milliseconds, where entries are known of and cannot be read yet. */
const SOON_MS = 100;

/** The reader is gone. */
class ReaderGone extends Error {}

/** Sends a replica to one reader. */
export class ReplicaStream {
  readonly #parts: ReplicaParts;
  readonly #call: RawCall<never>;
  /** Of many readers that hear of the same entry, or begin at once, each waits for a turn of its own. */
  readonly #pause = new Pace().pause;
  /** The log that the reader was told of. */
  #logId: string;
  #chunk = "";

  constructor(parts: ReplicaParts, call: RawCall<never>) {
    this.#parts = parts;
    this.#call = call;
    this.#logId = parts.log.logId;
  }

  /** Sends until the reader is gone, or this process was without contact to its database for too long. */
  async run(from: StartingPoint): Promise<void> {
    const { log, settings, decisions } = this.#parts;
    let at = typeof from === "object" ? from : undefined;
    let beatDue = 0;
    try {
      for (;;) {
        log.assertFresh();
        // Without an entry there is no log to name, and nothing to send.
        if (log.logId === "") {
          await this.#flush();
          await this.#news(settings.beatMs);
          continue;
        }
        // What the log has lost, a reader must lose too: the entry that was sent last is looked up before each page.
        const entries: readonly LoggedEntry[] | undefined =
          at === undefined ? undefined : await entriesAfter(log, at, PAGE);
        if (entries === undefined) at = await this.#sendCheckpoint();
        for (const entry of entries ?? []) {
          if (!(await this.#sendEntry(entry))) {
            at = undefined;
            break;
          }
          at = { revision: entry.revision, id: entry.id };
        }
        if (performance.now() >= beatDue) {
          const age_ms = Math.round(log.staleness());
          const { revision, id } = log.head;
          this.#line({ type: "revision", revision, id: shortId(id), age_ms, settings: decisions });
          beatDue = performance.now() + settings.beatMs;
        }
        await this.#flush();
        const left = beatDue - performance.now();
        if (at !== undefined && at.id === log.head.id) await this.#news(left);
        else if (entries?.length === 0) await this.#news(Math.min(left, SOON_MS));
      }
    } catch (error) {
      if (!(error instanceof ReaderGone)) throw error;
    }
  }

  /**
   * Sends the whole state. It is read page by page from states that follow each other, and what was written meanwhile
   * is sent behind it, which gives the state of the last of them: no snapshot is held for as long as a reader takes.
   * Where the state was replaced meanwhile, they do not follow each other, and it is sent anew.
   * @returns the entry that it was read at
   */
  async #sendCheckpoint(): Promise<EntryName> {
    const { log, records } = this.#parts;
    for (;;) {
      log.assertFresh();
      const base = await records.base();
      const { revision, id } = log.head;
      this.#logId = log.logId;
      this.#line({ type: "checkpoint", log: this.#logId });
      let count = 0;
      for (const partition of records.partitions) {
        for (let after: string | undefined; ; ) {
          await this.#pause();
          const page = await records.page(partition, after);
          if (page === undefined) break;
          count += await this.#sendRecords(page.records);
          after = page.last;
        }
      }
      const end = await this.#sendSince({ revision, id });
      if (end !== undefined && (await records.base()) === base) {
        this.#complete(end.at, count + end.count);
        return end.at;
      }
      await this.#flush();
      await this.#news(SOON_MS);
    }
  }

  /** Sends what was written after an entry; undefined where that is no longer kept, or the entry is not in the log. */
  async #sendSince(
    began: EntryName,
  ): Promise<{ readonly at: EntryName; readonly count: number } | undefined> {
    const { log, records } = this.#parts;
    let [at, count] = [began, 0];
    while (at.id !== log.head.id) {
      const entries = await entriesAfter(log, at, PAGE);
      if (entries === undefined || entries.length === 0) return undefined;
      for (const { revision, id } of entries) {
        await this.#pause();
        const writes = await records.writes({ revision, id });
        if (writes === undefined) return undefined;
        count += await this.#sendRecords(writes);
        at = { revision, id };
      }
    }
    return { at, count };
  }

  /** Sends an entry; false where it is no longer kept, or not in the log. */
  async #sendEntry(entry: LoggedEntry): Promise<boolean> {
    const { revision, id, at, ids } = entry;
    await this.#pause();
    const writes = await this.#parts.records.writes(entry);
    if (writes === undefined) return false;
    this.#line({ type: "entry", revision, id: shortId(id), at, change: ids });
    this.#complete(entry, await this.#sendRecords(writes));
    return true;
  }

  /** The end of a block. Whoever reads takes state and name with this line, in one step. */
  #complete({ revision, id }: EntryName, records: number): void {
    this.#line({ type: "complete", log: this.#logId, revision, id: shortId(id), records });
  }

  async #sendRecords(records: Iterable<SentRecord>): Promise<number> {
    let count = 0;
    for (const record of records) {
      this.#line(record);
      count++;
      if (this.#chunk.length >= CHUNK_BYTES) await this.#flush();
      await this.#pause();
    }
    return count;
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
