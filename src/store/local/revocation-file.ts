/**
 * The file beside a local store that outlives what is put in the store's place (spec/journal §4.11): the newest position of
 * the log, and the newest revocation of each thing. A line is a JSON object; the newest line about a thing counts. It is
 * not flushed: after a power loss it may lack the last lines.
 */

import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Turns } from "../../schedule/turns.ts";
import type { RecordName } from "../port.ts";
import { idOfRecord } from "../record-id.ts";
import type { StoreLog } from "../store-log.ts";

/** A record that was revoked, or that stands for it now. */
export interface RevokedRecord extends RecordName {
  /** Says what the record is now, without a secret; null: it was removed. */
  readonly state: string | null;
  /** Of the commit. */
  readonly revision: number;
  /** Unix milliseconds until which it has to be known. */
  readonly until: number;
}

/** Names an entry of a log. */
export interface LogPlace {
  readonly revision: number;
  /** Id of the entry. */
  readonly id: string;
  /** Id of the log. */
  readonly log: string;
}

/** Options of {@link openRevocationFile}. */
interface RevocationFileOptions {
  readonly path: string;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
  readonly log?: StoreLog;
  /** Most bytes; default 64 MiB. */
  readonly mostBytes?: number;
}

const MOST_BYTES = 64 * 1024 * 1024;
/** A file is written anew when so many of its bytes may be outdated. */
const SLACK_BYTES = 1024 * 1024;
/** Longest time for which a position without a revocation is only in memory, in milliseconds. */
const PLACE_DELAY_MS = 1_000;
/** Records that are noted while no other work runs: a few milliseconds. */
const AT_ONCE = 500;

/** Reads the file, where there is one. A line that cannot be read is passed over, and said. */
export function openRevocationFile(options: RevocationFileOptions): RevocationFile {
  return new RevocationFile(options);
}

/** The file and what it says. */
export class RevocationFile {
  readonly path: string;
  readonly #options: RevocationFileOptions;
  readonly #records = new Map<string, RevokedRecord>();
  #place: LogPlace | undefined;
  #placeWritten = true;
  #bytes = 0;
  #bytesAfterRewrite = 0;
  #timer: NodeJS.Timeout | undefined;
  #failed = false;

  constructor(options: RevocationFileOptions) {
    this.path = options.path;
    this.#options = options;
    if (existsSync(this.path)) this.#read();
  }

  /** The newest position that is known; undefined for a new file. */
  get place(): LogPlace | undefined {
    return this.#place;
  }

  /** Returns what is known of a record; undefined where it was never revoked. */
  get({ partition, key }: RecordName): RevokedRecord | undefined {
    return this.#records.get(idOfRecord({ partition, key }));
  }

  /** Everything that is still to be known, the oldest first. */
  records(): readonly RevokedRecord[] {
    const now = this.#now();
    return [...this.#records.values()]
      .filter(({ until }) => until > now)
      .sort((a, b) => a.revision - b.revision);
  }

  /**
   * Notes what a commit revoked, or that it revoked nothing; of many records, in turns with other work. One call at a time.
   * Never rejects: the commit is done.
   */
  async note(place: LogPlace, records: readonly RevokedRecord[]): Promise<void> {
    if (records.length > AT_ONCE) await this.#addInTurns(records);
    else this.#add(records);
    // Last: whoever reads the file has all that was revoked up to there.
    this.#place = place;
    this.#placeWritten = records.length > 0;
    if (records.length > 0) this.#append([placeLine(place)]);
    else this.#timer ??= setTimeout(() => this.#writePlace(), PLACE_DELAY_MS).unref();
  }

  async #addInTurns(records: readonly RevokedRecord[]): Promise<void> {
    const turns = new Turns();
    for (let start = 0; start < records.length; start += AT_ONCE) {
      if (turns.spent) await turns.yield();
      this.#add(records.slice(start, start + AT_ONCE));
    }
  }

  #add(records: readonly RevokedRecord[]): void {
    if (records.length === 0) return;
    for (const record of records) this.#records.set(idOfRecord(record), record);
    this.#append(records.map(lineOf));
  }

  /** Puts the file aside, as it belongs to another store; returns its new name. */
  setAside(): string {
    const name = `${this.path}.${this.#place?.log.slice(0, 8) || "other"}`;
    renameSync(this.path, name);
    this.#records.clear();
    this.#place = undefined;
    this.#bytes = 0;
    return name;
  }

  /** Writes what is not written yet. */
  close(): void {
    clearTimeout(this.#timer);
    this.#writePlace();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #read(): void {
    const text = readFileSync(this.path, "utf8");
    this.#bytes = Buffer.byteLength(text);
    let unread = 0;
    for (const line of text.split("\n")) {
      if (line !== "" && !this.#take(line)) unread += 1;
    }
    if (unread > 0) {
      const message = "lines of the file of revocations cannot be read, and are passed over";
      this.#options.log?.error({ path: this.path, lines: unread }, message);
    }
    this.#bytesAfterRewrite = this.#bytes;
  }

  #take(line: string): boolean {
    try {
      const { at, p, k, s, r, u } = JSON.parse(line) as Line;
      if (at !== undefined) {
        const [revision, id, log] = at;
        this.#place = { revision, id, log };
        return true;
      }
      if (typeof p !== "string" || typeof k !== "string") return false;
      this.#records.set(idOfRecord({ partition: p, key: k }), {
        partition: p,
        key: k,
        state: s ?? null,
        revision: r ?? 0,
        until: u ?? 0,
      });
      return true;
    } catch {
      return false;
    }
  }

  #writePlace(): void {
    this.#timer = undefined;
    if (this.#placeWritten || this.#place === undefined) return;
    this.#placeWritten = true;
    this.#append([placeLine(this.#place)]);
  }

  #append(lines: readonly string[]): void {
    const text = `${lines.join("\n")}\n`;
    const bytes = Buffer.byteLength(text);
    try {
      if (this.#bytes + bytes > 2 * this.#bytesAfterRewrite + SLACK_BYTES || this.#failed) this.#rewrite();
      else {
        // A line that a crash cut must not take the next one with it.
        appendFileSync(this.path, this.#bytes === 0 ? text : `\n${text}`, { mode: 0o600 });
        this.#bytes += bytes + 1;
      }
      this.#failed = false;
    } catch (err) {
      if (!this.#failed) {
        const message =
          "the file of revocations cannot be written: a copy that is put back would revive what is revoked";
        this.#options.log?.error({ err, path: this.path }, message);
      }
      this.#failed = true;
    }
  }

  /** Writes everything that is still to be known into a new file; the oldest is dropped where that is too large. */
  #rewrite(): void {
    const { mostBytes = MOST_BYTES } = this.#options;
    const kept: string[] = [];
    const dropped = new Map<string, number>();
    let bytes = 0;
    for (const record of this.records().toReversed()) {
      const line = lineOf(record);
      bytes += Buffer.byteLength(line) + 1;
      if (bytes <= mostBytes) kept.push(line);
      else {
        dropped.set(record.partition, (dropped.get(record.partition) ?? 0) + 1);
        this.#records.delete(idOfRecord(record));
      }
    }
    if (dropped.size > 0) {
      const message =
        "the file of revocations is full: the oldest were dropped, and a copy of the store that is put back revives them";
      this.#options.log?.error({ path: this.path, dropped: Object.fromEntries(dropped) }, message);
    }
    const now = this.#now();
    for (const [name, { until }] of this.#records) if (until <= now) this.#records.delete(name);
    const place = this.#place === undefined ? [] : [placeLine(this.#place)];
    const text = [...kept.reverse(), ...place].map((line) => `${line}\n`).join("");
    const next = `${this.path}.new`;
    rmSync(next, { force: true });
    writeFileSync(next, text, { mode: 0o600 });
    renameSync(next, this.path);
    this.#bytes = Buffer.byteLength(text);
    this.#bytesAfterRewrite = this.#bytes;
  }
}

interface Line {
  readonly at?: readonly [number, string, string];
  readonly p?: unknown;
  readonly k?: unknown;
  readonly s?: string | null;
  readonly r?: number;
  readonly u?: number;
}

function lineOf({ partition, key, state, revision, until }: RevokedRecord): string {
  return JSON.stringify({ p: partition, k: key, s: state, r: revision, u: until });
}

function placeLine({ revision, id, log }: LogPlace): string {
  return JSON.stringify({ at: [revision, id, log] });
}
