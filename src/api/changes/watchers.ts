/**
 * The readers of `GET /api/v1/watch` (spec/journal §6.4). An entry is read and written as text once for all of them. Who
 * reads too slowly is disconnected, so that the memory for all readers is bounded.
 */

import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { drained } from "../../http/drained.ts";
import { Turns } from "../../schedule/turns.ts";
import { entriesAfter } from "./entries-after.ts";
import type { ChangeLog, EntryName } from "./ports.ts";
import type { StartingPoint } from "./starting-point.ts";
import { WatchEvents } from "./watch-events.ts";

/** Bounds of the readers. */
export interface WatchLimits {
  /** Most readers at once; half of them for one caller. */
  readonly readers: number;
  /** Bytes that one reader may be behind. */
  readonly behindBytes: number;
  /** Bytes that all readers together may be behind. */
  readonly allBehindBytes: number;
  /** Milliseconds between two tellings of the newest revision. */
  readonly beatMs: number;
}

export const WATCH_LIMITS: WatchLimits = {
  readers: 1_000,
  behindBytes: 1024 * 1024,
  allBehindBytes: 64 * 1024 * 1024,
  beatMs: 5_000,
};

const PAGE = 100;

interface Reader {
  readonly response: ServerResponse;
  /** Revision of the newest entry that was written to it. */
  at: number;
}

/** Tells entries to readers. */
export class Watchers {
  readonly #log: ChangeLog;
  readonly #events: WatchEvents;
  readonly #limits: WatchLimits;
  /** Readers to whom entries are told as they come. */
  readonly #live = new Set<Reader>();
  readonly #all = new Set<ServerResponse>();
  readonly #stopListening: () => void;
  readonly #beat: NodeJS.Timeout;
  /** The newest entry that was told to all live readers. */
  #told: EntryName;
  /** Times that what was told turned out not to be in the log. */
  #lines = 0;
  #telling: Promise<void> | undefined;

  constructor(log: ChangeLog, limits: WatchLimits = WATCH_LIMITS) {
    this.#log = log;
    this.#limits = limits;
    this.#events = new WatchEvents(log);
    this.#told = log.head;
    this.#stopListening = log.onEntry(() => this.#wake());
    this.#beat = setInterval(() => this.#tellRevision(), limits.beatMs).unref();
  }

  /**
   * Writes entries to a response whose head is written, until its reader is gone.
   * @param from entries after this revision; undefined: those from now on
   */
  async serve(response: ServerResponse, from: StartingPoint): Promise<void> {
    // It may have gone while the log was looked up: its event was before.
    if (response.destroyed) return;
    this.#all.add(response);
    const closed = once(response, "close");
    try {
      await this.#catchUp(response, from);
      await closed;
    } finally {
      this.#all.delete(response);
      for (const reader of this.#live) if (reader.response === response) this.#live.delete(reader);
    }
  }

  /** Ends every response: readers come again, and are authenticated again. */
  disconnect(): void {
    for (const response of this.#all) response.end();
  }

  /** Ends every response and hears of no further entry. */
  close(): void {
    clearInterval(this.#beat);
    this.#stopListening();
    this.disconnect();
  }

  /** Writes what a reader has missed, as fast as it reads; from then on it is told entries as they come. */
  async #catchUp(response: ServerResponse, from: StartingPoint): Promise<void> {
    const log = this.#log;
    const events = this.#events;
    const turns = new Turns();
    let at = typeof from === "object" ? from : log.head;
    // A reader whose connection breaks goes on behind the last event: the first one must not name what is yet to come.
    response.write(from === "unknown" ? events.reset(at) : events.newest(at));
    while (!response.destroyed && !response.writableEnded) {
      const line = this.#lines;
      const entries = await entriesAfter(log, at, PAGE);
      if (entries === undefined) at = log.head;
      const text =
        entries === undefined ? events.reset(at) : entries.map((entry) => events.entry(entry)).join("");
      at = entries?.at(-1) ?? at;
      if (text !== "" && !response.write(text)) await drained(response);
      // Within the same turn as the last look at what was told: else an entry could be told between the two.
      if (entries !== undefined && line === this.#lines && at.revision >= this.#told.revision) {
        this.#live.add({ response, at: at.revision });
        return;
      }
      // Nothing is behind it, and more was told: the log went back, which the others are to hear of first. Without its turn
      // the event loop would stand still here, and they would never hear of it.
      if (text === "") {
        this.#wake();
        await turns.yield();
      } else if (turns.spent) await turns.yield();
    }
  }

  #wake(): void {
    this.#telling ??= this.#tell()
      // Entries that cannot be read now are read at the next one or at the next beat.
      .catch(() => undefined)
      .finally(() => {
        this.#telling = undefined;
      });
  }

  async #tell(): Promise<void> {
    const log = this.#log;
    const turns = new Turns();
    // Without readers nothing is read; whoever comes begins at what was told.
    if (this.#all.size === 0) this.#told = log.head;
    while (this.#told.id !== log.head.id) {
      const entries = await entriesAfter(log, this.#told, PAGE);
      if (entries === undefined || entries.length === 0) {
        this.#lines += 1;
        this.#told = log.head;
        this.#write(this.#events.reset(this.#told), this.#told.revision, true);
      }
      for (const entry of entries ?? []) {
        this.#told = entry;
        this.#write(this.#events.entry(entry), entry.revision, false);
        if (turns.spent) await turns.yield();
      }
      this.#disconnectSlowest();
    }
  }

  #tellRevision(): void {
    try {
      this.#log.assertFresh();
    } catch {
      this.disconnect();
      return;
    }
    if (this.#told.id !== this.#log.head.id) {
      this.#wake();
      return;
    }
    const text = this.#events.newest(this.#told);
    for (const { response } of this.#live) response.write(text);
    this.#disconnectSlowest();
  }

  #write(text: string, revision: number, always: boolean): void {
    for (const reader of this.#live) {
      if (!always && revision <= reader.at) continue;
      reader.at = revision;
      reader.response.write(text);
      if (reader.response.writableLength > this.#limits.behindBytes) this.#cut(reader);
    }
  }

  #disconnectSlowest(): void {
    let behind = 0;
    for (const { response } of this.#live) behind += response.writableLength;
    if (behind <= this.#limits.allBehindBytes) return;
    const slowest = [...this.#live].sort((a, b) => b.response.writableLength - a.response.writableLength);
    for (const reader of slowest) {
      if (behind <= this.#limits.allBehindBytes) return;
      behind -= reader.response.writableLength;
      this.#cut(reader);
    }
  }

  #cut(reader: Reader): void {
    this.#live.delete(reader);
    reader.response.destroy();
  }
}
