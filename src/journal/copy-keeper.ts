/**
 * The care of a node for its copy, beside following the log (spec/journal §3): it keeps what the log lost, guards a database
 * in which the log is missing, and notes its contact for the process after this one.
 */

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Replica } from "../store/replica.ts";
import type { StoreLog } from "../store/store-log.ts";
import { machineNow } from "./contact.ts";
import { LogMissing } from "./copy-condition.ts";
import type { JournalCounters } from "./counters.ts";
import type { Engine } from "./engine.ts";
import { putGuard, removeGuard } from "./guard.ts";
import { writeLostFile } from "./lost-entries.ts";
import type { LogNode } from "./node.ts";
import type { LostPast } from "./node-parts.ts";

/** Least time between two notes of a contact. */
const NOTE_MS = 1_000;

/** The parts of a {@link CopyKeeper}. */
interface CopyKeeperParts {
  readonly engine: Engine;
  readonly replica: Replica;
  readonly counters: JournalCounters;
  /** Unix milliseconds. */
  readonly wallClock: () => number;
  readonly log: StoreLog | undefined;
}

/** Keeps a node's copy. */
export class CopyKeeper {
  readonly #parts: CopyKeeperParts;
  #writing: Promise<void> = Promise.resolve();
  #notedAt = Number.NEGATIVE_INFINITY;
  #canNote = true;
  #guarded: string | undefined;

  constructor(parts: CopyKeeperParts) {
    this.#parts = parts;
  }

  /** Writes what the log lost, and says where. The whole of another log stays in the former copy alone. */
  wentBack(node: LogNode, back: LostPast): void {
    if (back.log !== back.formerLog) {
      const { log, formerLog, former } = back;
      this.#parts.log?.info(
        { log, former_log: formerLog, copy: former.folder },
        "this node has gone over to another log, as a command said; its former copy is kept",
      );
      this.#writing = this.#writing.then(() => former.release());
      return;
    }
    const at = this.#parts.wallClock();
    const { from, common, ids } = back;
    const lost = ids.filter(([revision]) => common === undefined || revision > common).length;
    const facts = { at, from, common, lost };
    node.condition.went({ ...facts, file: undefined });
    // Begun here: the state that took its place moves on.
    const now = this.#parts.replica.state().pages;
    this.#writing = this.#writing.then(async () => {
      const file = await this.#write(back, now, at);
      node.condition.went({ ...facts, file });
    });
  }

  async #write(
    back: LostPast,
    now: ReturnType<Replica["state"]>["pages"],
    at: number,
  ): Promise<string | undefined> {
    const { counters, log } = this.#parts;
    const { from: revision, common, to, former } = back;
    const fields = { revision, common, to, copy: former.folder };
    try {
      const time = new Date(at).toISOString();
      const name = `lost-${time.replaceAll(/[:.]/g, "-")}-${back.log.slice(0, 8)}-${revision}.ndjson`;
      const file = join(await this.#folder(), name);
      const lost = await writeLostFile(file, back, now, time);
      counters.lostEntries += lost;
      log?.error(
        { ...fields, lost, file },
        "the database lost commits that were acknowledged, and this node has followed it; the lost entries are in the file: svc-authorizer journal lost show shows them, and journal lost apply makes them again",
      );
      return file;
    } catch (err) {
      log?.error({ ...fields, err }, "the entries that the database lost could not be written to a file");
      return undefined;
    } finally {
      await former.release();
    }
  }

  /** Beside the copy, or among the temporary files where it is in memory. */
  async #folder(): Promise<string> {
    return this.#parts.replica.folder ?? mkdtemp(join(tmpdir(), "svc-authorizer-lost-"));
  }

  /** To be called where a look at the log failed. Never throws. */
  async missed(node: LogNode, error: unknown): Promise<void> {
    if (!(error instanceof LogMissing) || error.kind === "broken_log" || node.log === "") return;
    try {
      await putGuard(this.#parts.engine, node.log);
      this.#guarded = node.log;
    } catch {
      // The database is not there at all; the next look tries it again.
    }
  }

  /** To be called when the copy was proved to be the newest. Never throws. */
  async reached(node: LogNode): Promise<void> {
    this.note(node);
    if (this.#guarded === undefined) return;
    try {
      await removeGuard(this.#parts.engine, this.#guarded);
      this.#guarded = undefined;
    } catch {
      // It is taken back later; beside the log that it names it forbids nothing.
    }
  }

  /**
   * Notes the contact, at most once a second.
   * @param isLast true at the end of the process
   */
  note({ age, revision }: LogNode, isLast = false): void {
    const { replica, wallClock, log } = this.#parts;
    const now = machineNow();
    if (replica.noteContact === undefined || revision === 0 || !Number.isFinite(age)) return;
    if (!isLast && now - this.#notedAt < NOTE_MS) return;
    try {
      replica.noteContact({ wall: wallClock() - age, monotonic: now - age });
      this.#notedAt = now;
      this.#canNote = true;
    } catch (err) {
      if (this.#canNote)
        log?.error(
          { err },
          "the contact to the database cannot be noted beside the copy; without it, a start needs the database",
        );
      this.#canNote = false;
    }
  }

  /** Goes on from the copy of the process before, without contact; false where it must not be answered from. */
  resumes(node: LogNode, maxStalenessMs: number): boolean {
    const { replica, wallClock, log } = this.#parts;
    const age = keptAge(replica, wallClock());
    const { revision } = node;
    if (revision === 0 || age === undefined || maxStalenessMs === 0 || age > maxStalenessMs) return false;
    node.resumeProof(age);
    log?.error(
      { revision, stops_at: new Date(wallClock() - age + maxStalenessMs).toISOString() },
      "the database cannot be used: this node answers from the copy of the process before, and changes nothing",
    );
    return true;
  }

  /** Resolves when nothing is being written. */
  async ended(): Promise<void> {
    await this.#writing;
  }
}

/**
 * Milliseconds since the copy of an earlier process was proved to be the newest; undefined where nobody knows, so that it
 * must not be answered from before the database is reached: the clock is before the note, or there is none.
 */
function keptAge(replica: Replica, wallNow: number): number | undefined {
  const kept = replica.keptContact?.();
  if (kept === undefined || wallNow < kept.wall) return undefined;
  const byWall = wallNow - kept.wall;
  return kept.isSameRun ? Math.max(byWall, machineNow() - kept.monotonic) : byWall;
}
