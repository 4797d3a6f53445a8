/**
 * A node's own copy of the directory and where it stands in the log: following, loading of checkpoints, and the check
 * that the log still is the one that the copy came from (spec/journal §3).
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { decodeHead, type EntryHead, LOG_FORMAT, newId } from "../store/log-entry.ts";
import type { EntryWrites } from "../store/port.ts";
import { type CheckpointSource, newestCheckpoint } from "./checkpoints.ts";
import type { Moment } from "./clock.ts";
import { CopyCondition, LogMissing } from "./copy-condition.ts";
import { LogDoubted, NothingDone } from "./engine.ts";
import { readBody } from "./entry-parts.ts";
import { isInParts, join } from "./join.ts";
import { loadCheckpoint } from "./load-checkpoint.ts";
import type { NodeParts } from "./node-parts.ts";
import { type FoundPlace, findPlace } from "./place-in-log.ts";
import { commonRevision, type Rebuilt, rebuild } from "./rebuild.ts";
import { RecentIds } from "./recent-ids.ts";
import { isTornAfter } from "./torn-log.ts";

const PAGE = 100;
/** Bytes of a checkpoint that are loaded in the time that it takes to apply an entry. */
const ENTRY_COST = 4 * 1024;
/** Least weight of entries that makes a checkpoint due, whatever their number. */
const CHECKPOINT_BYTES = 64 * 1024 * 1024;
/** Attempts to get past an entry, and the time between them. */
const MOST_IDLE = 20;
const IDLE_MS = 100;
/** Time for which other nodes hold their commits back for a turn. */
const TURN_MS = 5_000;

/** A node's copy and its position. */
export class LogNode {
  readonly id = newId();
  readonly recent: RecentIds;
  /** Revision of the newest entry that the copy has. */
  revision = 0;
  /** Id of that entry. */
  lastId = "";
  /** Time of that entry. */
  lastAt = "";
  /** Id of the first entry: names the log. */
  log = "";
  /** Format of the newest entry: what this node writes, too. */
  format: number;
  /** A format that this node met and does not know: it stopped before it. */
  unknownFormat: number | undefined;
  /** Revision of the newest checkpoint that this node knows of; 0 where there is none. */
  checkpointRevision = 0;
  /** Weight of the entries since the newest checkpoint that this node knows of. */
  bytesSinceCheckpoint = 0;
  /** Weight of that checkpoint; 0 where it is not known. */
  checkpointBytes = 0;
  readonly condition: CopyCondition;
  readonly #parts: NodeParts;
  /** The moment at which the read was sent that last proved the copy to be the newest. */
  #provedAt: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
  #doubts = 1;
  /** Times that it turned out to be another one. */
  #rebuilt = 0;
  /** The doubts before the newest verification. */
  #verified = 0;
  #mayBeFarBehind = true;
  /** The doubts before the newest look at what is behind the end of the log. */
  #endSeen = 0;
  #turn: { readonly node: string; readonly until: number } | undefined;
  #lane: Promise<unknown> = Promise.resolve();

  constructor(parts: NodeParts) {
    this.#parts = parts;
    this.condition = new CopyCondition(parts.wallClock ?? Date.now, parts.onCondition);
    this.recent = new RecentIds(parts.carriedIds);
    this.format = this.knownFormat;
    this.#resume();
  }

  /** Newest format of the log that this program knows. */
  get knownFormat(): number {
    return this.#parts.knownFormat ?? LOG_FORMAT;
  }

  /** Begins where the copy of an earlier process ended; {@link verify} says whether the log still knows that. */
  #resume(): void {
    const position = this.#parts.replica.position?.();
    if (position === undefined || position.revision === 0) return;
    this.revision = position.revision;
    this.lastId = position.id;
    this.lastAt = position.at;
    this.log = position.log;
    this.recent.replace(position.recent);
  }

  /** Now, for {@link proved}. */
  moment(): Moment {
    const { clock, wallClock = Date.now } = this.#parts;
    return { monotonic: clock.now(), wall: wallClock() };
  }

  /**
   * A read that was sent then has shown that there is no entry behind the newest one of the copy. Nothing is shown where
   * the log may be another one than the copy came from.
   */
  proved(sent: Moment): void {
    if (!this.isDoubted) this.#provedAt = sent;
  }

  /** Takes over what an earlier process proved of the copy, some milliseconds ago. */
  resumeProof(age: number): void {
    const { monotonic, wall } = this.moment();
    this.#provedAt = { monotonic: monotonic - age, wall: wall - age };
  }

  /** Milliseconds since the copy was proved to be the newest, by the clock that says more: a suspended machine stops one. */
  get age(): number {
    const { monotonic, wall } = this.moment();
    return Math.max(0, monotonic - this.#provedAt.monotonic, wall - this.#provedAt.wall);
  }

  /** Runs `work` alone: nothing else moves the copy meanwhile. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lane.then(work);
    this.#lane = done.catch(() => undefined);
    return done;
  }

  /** True when the entries since the newest checkpoint weigh so much that another one is due. */
  get isHeavy(): boolean {
    return this.bytesSinceCheckpoint >= Math.max(CHECKPOINT_BYTES, this.checkpointBytes / 4);
  }

  /**
   * Takes a checkpoint for the newest.
   * @param weight that of the entries since the one before that it holds
   */
  knowsCheckpoint(
    { revision, bytes }: { readonly revision: number; readonly bytes?: number },
    weight: number,
  ): void {
    if (revision <= this.checkpointRevision) return;
    this.checkpointRevision = revision;
    this.bytesSinceCheckpoint = Math.max(0, this.bytesSinceCheckpoint - weight);
    if (bytes !== undefined) this.checkpointBytes = bytes;
  }

  /** Milliseconds for which this node holds its commits back, as another one has the turn. */
  get held(): number {
    if (this.#turn === undefined) return 0;
    return Math.max(0, this.#turn.until - this.#parts.clock.now());
  }

  /**
   * Applies what other nodes committed, up to the newest entry. Only within {@link exclusive}.
   * @returns true if that proves the copy to be the newest; see {@link proved}
   */
  async follow(): Promise<boolean> {
    const { engine, assertOpen } = this.#parts;
    if (this.#mayBeFarBehind) await this.#skipAhead();
    for (let idle = 0, isFull = false; ; idle++) {
      // A node that ends need not catch up; a few entries may tell a commit what became of it.
      if (isFull) assertOpen?.();
      if (idle > 0) await this.#rest(idle);
      const { lastId } = this;
      const sent = this.moment();
      const { entries, floor, own } = await engine.entries(this.revision, PAGE);
      isFull = entries.length === PAGE;
      if (floor > this.revision) {
        await this.load();
      } else if (own !== undefined && floor < this.revision && !this.#isOwn(own.head)) {
        await this.verify();
      } else if (entries.length === 0) {
        // A doubt that comes meanwhile asks for another look.
        const doubts = this.#doubts;
        if (doubts > this.#endSeen && (await isTornAfter(engine, this.revision))) continue;
        this.#endSeen = doubts;
        this.proved(sent);
        return !this.isDoubted;
      } else if (this.revision > 0 || !entries.some(isInParts) || !(await this.#join())) {
        for (const { item } of entries) if (!(await this.#take(item))) break;
      }
      if (this.lastId !== lastId) idle = -1;
    }
  }

  #isOwn(head: Buffer | undefined): boolean {
    return head !== undefined && decodeHead(head).id === this.lastId;
  }

  /** Pauses where the next entry is gone, or lacks parts, and no checkpoint is there instead: not everything is seen at once. */
  async #rest(idle: number): Promise<void> {
    if (idle > MOST_IDLE) throw new NothingDone(`what follows entry ${this.revision} of the log is gone`);
    await this.#parts.clock.delay(IDLE_MS);
  }

  /** Applies an entry of this node's or another's making. */
  async apply(head: EntryHead, body: EntryWrites, bytes: number): Promise<void> {
    await this.#parts.replica.applyEntry(head, body);
    this.revision = head.revision;
    this.lastId = head.id;
    this.lastAt = head.at;
    this.format = head.format;
    if (head.revision === 1) this.log = head.id;
    this.recent.add(head.revision, head.id);
    this.bytesSinceCheckpoint += bytes;
    if (head.turn === true && head.node !== this.id) {
      this.#turn = { node: head.node, until: this.#parts.clock.now() + TURN_MS };
    } else if (this.#turn?.node === head.node) {
      this.#turn = undefined;
    }
    const { counters } = this.#parts;
    counters.applied += 1;
    if (head.node !== this.id) counters.lagMs = Math.max(0, Date.now() - Date.parse(head.at));
  }

  /** Loads the newest checkpoint where that takes less time than the entries up to it (spec/journal §3.3). */
  async #skipAhead(): Promise<void> {
    const marker = await newestCheckpoint(this.#parts.engine, this.revision);
    const entries = marker === undefined ? 0 : marker.revision - this.revision;
    if (marker !== undefined && (this.revision === 0 || marker.bytes < entries * ENTRY_COST))
      await this.load();
    this.#mayBeFarBehind = false;
  }

  /**
   * Loads the newest checkpoint, where it is ahead of the copy and of its log. Only within {@link exclusive}.
   * @throws LogMissing as {@link verify}
   */
  async load(): Promise<void> {
    const found = this.revision === 0 ? undefined : await this.#findPlace();
    if (found?.place === "lost") return this.#goBack();
    if (found?.place === "other") return this.#goBack(found.log);
    const loaded = await loadCheckpoint(this.#parts, this, (format) => this.#assertKnown(format));
    if (loaded === undefined) return;
    const { marker, recent } = loaded;
    this.revision = marker.revision;
    this.lastId = marker.last.id;
    this.lastAt = marker.last.at;
    this.log = marker.log;
    this.format = marker.format ?? 1;
    this.recent.replace(recent);
    this.checkpointRevision = marker.revision;
    this.checkpointBytes = marker.bytes;
    this.bytesSinceCheckpoint = 0;
  }

  /** The log may be another one from now on: the engine failed, or was connected to anew. */
  doubt(): void {
    this.#doubts += 1;
    this.#mayBeFarBehind = true;
  }

  /** Times that the log may have become another one: what was written before the last of them may be gone. */
  get doubts(): number {
    return this.#doubts + this.#rebuilt;
  }

  /** True until it is verified after the last of them. */
  get isDoubted(): boolean {
    return this.#doubts > this.#verified;
  }

  /** As {@link verify}, where there is doubt; true where there was. Only within {@link exclusive}. */
  async verifyIfDoubted(): Promise<boolean> {
    if (!this.isDoubted) return false;
    // What breaks while it is verified is a new doubt.
    const doubts = this.#doubts;
    await this.verify();
    this.#verified = doubts;
    return true;
  }

  /**
   * Checks that the copy's newest entry is in the log under its id. Where the log went back, the copy is made anew; where
   * the database has no log or another one, the copy stays as it is. Only within {@link exclusive}.
   * @throws LogMissing where it stays
   */
  async verify(): Promise<void> {
    if (this.revision === 0) return;
    const found = await this.#findPlace();
    if (found.place === "same") this.format = found.format;
    else if (found.place === "behind") await this.load();
    else await this.#goBack(found.place === "other" ? found.log : this.log);
  }

  async #findPlace(): Promise<FoundPlace> {
    try {
      const found = await findPlace(this.#parts.engine, this);
      if (found.place === "same" || found.place === "behind") this.condition.is("whole");
      return found;
    } catch (error) {
      if (error instanceof LogMissing) this.condition.is(error.kind, error.otherLog);
      throw error;
    }
  }

  /** Returns the data that a checkpoint of the copy is written from. Only within {@link exclusive}. */
  async checkpointSource(): Promise<CheckpointSource> {
    const assertSame = await this.sameFromNow();
    const { revision, pages } = this.#parts.replica.state();
    return {
      format: this.format,
      revision,
      last: { id: this.lastId, at: this.lastAt },
      log: this.log,
      recent: [...this.recent.list],
      pages,
      assertSame,
    };
  }

  /** Verifies the log; returns what throws LogDoubted if it may have become another one since. Only within {@link exclusive}. */
  async sameFromNow(): Promise<() => void> {
    await this.verifyIfDoubted();
    const before = this.#verified + this.#rebuilt;
    return () => {
      if (this.doubts > before) throw new LogDoubted();
    };
  }

  /** False where the entry does not follow: the copy was brought in order, and reading begins anew. */
  async #take(item: Buffer): Promise<boolean> {
    const { engine } = this.#parts;
    const head = decodeHead(item);
    this.#assertKnown(head.format);
    if (head.prev !== this.lastId) {
      await this.verify();
      await this.load();
      if (head.revision !== this.revision + 1 || head.prev === this.lastId) return false;
      throw new AuthorizerError(
        "unavailable",
        `entry ${head.revision} of the log does not follow the one before`,
      );
    }
    const body = await readBody(engine, head, item);
    if (body === undefined) {
      await this.load();
      return false;
    }
    await this.apply(head, body, item.length);
    return true;
  }

  #assertKnown(format: number): void {
    if (format <= this.knownFormat) return;
    this.unknownFormat = format;
    const message = `the log has entries of format ${format}, this program knows up to ${this.knownFormat}: use a newer program`;
    throw new AuthorizerError("unavailable", message);
  }

  /** Makes the copy anew. Until that is whole, the former state goes on being read, and its age grows. */
  async #goBack(log = this.log): Promise<void> {
    const { counters, onRewound, onWentBack } = this.#parts;
    this.#rebuilt += 1;
    if (this.condition.kind !== "rebuilding") onRewound(this.revision);
    this.condition.is("rebuilding");
    const { log: formerLog, revision: from } = this;
    const ids = [...this.recent.list];
    const made = await this.#rebuild(log);
    counters.rewound += 1;
    this.#became(made);
    this.condition.is("whole");
    const { former } = made;
    const common = commonRevision(ids, made.recent);
    const back = { log, formerLog, common, from, to: made.revision, ids, former };
    if (onWentBack === undefined) await former.release();
    else onWentBack(back);
  }

  /** Fills the empty copy at once; false where no whole state can be made, of which following tells why. */
  async #join(): Promise<boolean> {
    const { counters } = this.#parts;
    const made = await join({ ...this.#parts, knownFormat: this.knownFormat });
    if (made === undefined) return false;
    this.#became(made);
    counters.applied += made.revision - this.checkpointRevision;
    return true;
  }

  #became(made: Omit<Rebuilt, "former">): void {
    this.revision = made.revision;
    this.lastId = made.id;
    this.lastAt = made.at;
    this.log = made.log;
    this.format = made.format;
    this.recent.replace(made.recent);
    this.checkpointRevision = made.checkpoint?.revision ?? 0;
    this.checkpointBytes = made.checkpoint?.bytes ?? 0;
    this.bytesSinceCheckpoint = made.bytes;
  }

  async #rebuild(log: string): Promise<Rebuilt> {
    try {
      const assertKnown = (format: number): void => this.#assertKnown(format);
      return await rebuild({ ...this.#parts, assertKnown }, log);
    } catch (error) {
      if (error instanceof LogMissing) this.condition.is(error.kind, error.otherLog);
      throw error;
    }
  }
}
