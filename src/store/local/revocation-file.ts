/**
 * The file beside a local store that outlives what is put in the store's place (spec/journal §4.11): the newest position of
 * the log, and the newest revocation of each thing. The newest line about a thing counts. What is appended is not flushed:
 * after a power loss it may lack the last lines.
 */

import { appendFileSync, existsSync, readFileSync, renameSync } from "node:fs";
import { Turns } from "../../schedule/turns.ts";
import type { RecordName } from "../port.ts";
import { idOfRecord } from "../record-id.ts";
import type { StoreLog } from "../store-log.ts";
import { FileRewrite } from "./file-rewrite.ts";
import { type LogPlace, lineOf, placeLine, type RevokedRecord, readLine } from "./revocation-lines.ts";

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
  /** True while it lacks what could not be written. */
  #isFaulty = false;
  /** Writes the file anew. */
  #rewrite: FileRewrite | undefined;
  /** Settles when the file has been written anew. */
  #rewritten: Promise<void> = Promise.resolve();

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
    for (const record of records) this.#keep(record);
    this.#append(records.map(lineOf));
  }

  /** Puts the file aside, as it belongs to another store, before anything is noted in it; returns its new name. */
  setAside(): string {
    const name = `${this.path}.${this.#place?.log.slice(0, 8) || "other"}`;
    renameSync(this.path, name);
    this.#records.clear();
    this.#place = undefined;
    this.#bytes = 0;
    return name;
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#writePlace();
    await this.#rewritten;
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

  #take(text: string): boolean {
    const line = readLine(text);
    if (line === undefined) return false;
    if ("place" in line) this.#place = line.place;
    else this.#keep(line.record);
    return true;
  }

  /** The newest stand last. */
  #keep(record: RevokedRecord): void {
    const id = idOfRecord(record);
    this.#records.delete(id);
    this.#records.set(id, record);
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
    this.#rewrite?.add(text);
    try {
      // A line that a crash cut must not take the next one with it.
      appendFileSync(this.path, this.#bytes === 0 ? text : `\n${text}`, { mode: 0o600 });
      this.#bytes += bytes + 1;
    } catch (err) {
      this.#fail(err);
    }
    const isTooLong = this.#bytes > 2 * this.#bytesAfterRewrite + SLACK_BYTES;
    if ((isTooLong || this.#isFaulty) && this.#rewrite === undefined) this.#rewritten = this.#writeAnew();
  }

  /** Says it once. What the file lacks is in memory: with each revocation, it is tried to write the file anew. */
  #fail(err: unknown): void {
    if (!this.#isFaulty) {
      const message =
        "the file of revocations cannot be written: a copy that is put back would revive what is revoked";
      this.#options.log?.error({ err, path: this.path }, message);
    }
    this.#isFaulty = true;
  }

  /** Writes everything that is still to be known into a new file, in turns with other work; never rejects. */
  async #writeAnew(): Promise<void> {
    const rewrite = new FileRewrite(this.path);
    this.#rewrite = rewrite;
    try {
      // In front of all that comes meanwhile: the last position counts.
      if (this.#place !== undefined) rewrite.add(`${placeLine(this.#place)}\n`);
      await rewrite.write(await this.#keptOf([...this.#records.values()]), lineOf);
      const bytes = await rewrite.replace();
      [this.#bytes, this.#bytesAfterRewrite, this.#isFaulty] = [bytes, bytes, false];
    } catch (err) {
      this.#fail(err);
      await rewrite.discard();
    } finally {
      this.#rewrite = undefined;
    }
  }

  /** Forgets what need not be known any more, and the oldest where all is too much; returns what is kept. */
  async #keptOf(records: readonly RevokedRecord[]): Promise<readonly RevokedRecord[]> {
    const { mostBytes = MOST_BYTES } = this.#options;
    const [turns, now] = [new Turns(), this.#now()];
    const [kept, dropped]: [RevokedRecord[], Map<string, number>] = [[], new Map()];
    let bytes = 0;
    for (let at = records.length - 1; at >= 0; at--) {
      if (turns.spent) await turns.yield();
      const record = records[at] as RevokedRecord;
      const isOver = record.until <= now;
      if (!isOver) bytes += Buffer.byteLength(lineOf(record)) + 1;
      if (!isOver && bytes <= mostBytes) kept.push(record);
      else {
        const id = idOfRecord(record);
        // It may have been revoked again meanwhile.
        if (this.#records.get(id) === record) this.#records.delete(id);
        if (!isOver) dropped.set(record.partition, (dropped.get(record.partition) ?? 0) + 1);
      }
    }
    if (dropped.size > 0) {
      const message =
        "the file of revocations is full: the oldest were dropped, and a copy of the store that is put back revives them";
      this.#options.log?.error({ path: this.path, dropped: Object.fromEntries(dropped) }, message);
    }
    return kept.reverse();
  }
}
