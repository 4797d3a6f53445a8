/**
 * The progress of one mirror, in records that no decision depends on: its state, and a list of what was recorded and found
 * complete, in pieces that are only added to (spec/mirroring §4).
 */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type Expectation, expectAsRead } from "../../store/expectation.ts";
import { DamagedRecord, type Store, withSnapshot } from "../../store/port.ts";
import type { GoneLook } from "../data/missing-data.ts";
import { LeaseLost } from "../lease.ts";
import type { MirrorPhase } from "../mirror.ts";
import { LOG_PIECE, MIRROR_STATE } from "../upkeep/mirror-shapes.ts";
import type { Shape } from "../upkeep/shapes.ts";
import type { BranchState } from "./branch-heads.ts";

/** Partition of the records. */
export const PARTITION = "mirror_progress";
/** Records of one read. */
const PAGE = 100;

/** A commit that is recorded and not complete. */
export interface PendingCommit {
  readonly id: string;
  readonly metaRangeId: string;
  readonly parents: readonly string[];
  /** Unix milliseconds of its recording. */
  readonly since: number;
}

/** The repositories of a mirror as they were when it began. */
export interface MirrorIdentity {
  readonly sourceCreatedAt: number;
  readonly sourceNamespace: string;
  readonly mirrorCreatedAt: number;
  /** Unix milliseconds at which this service had created the mirror, or taken it over. */
  readonly since: number;
}

/** Findings of a pass. */
export interface MirrorFindings {
  readonly phase: MirrorPhase;
  readonly reason: string;
  readonly defaultBranch: string | undefined;
  readonly recorded: number;
  readonly pending: number;
  /** Unix milliseconds of the recording of the oldest commit that is not complete. */
  readonly oldestPendingSince?: number;
  readonly missing: number;
  /** Objects outside the namespace that hold commits back. */
  readonly blocking: number;
  /** A server that does not answer; with the Unix milliseconds of the first pass that failed so. */
  readonly trouble?: { readonly message: string; readonly since: number } | undefined;
}

/** A repository that is deleted. */
interface MirrorDeletion {
  /** Unix milliseconds of the call; undefined: none was made. */
  readonly calledAt?: number;
}

/** The state of a mirror. */
export interface MirrorState {
  /** Grows with each process that takes the mirror over. */
  readonly term: number;
  readonly identity?: MirrorIdentity;
  readonly branches: Readonly<Record<string, BranchState>>;
  readonly gone: readonly GoneLook[];
  /** Ranges that are whole, of commits that are not. */
  readonly verified: Readonly<Record<string, readonly string[]>>;
  /** Objects outside the namespace, in complete commits. */
  readonly external: number;
  /** Objects that the source lost, too, in complete commits. */
  readonly goneAtSource: number;
  /** Pieces of the list. */
  readonly pieces: number;
  /** Findings of the newest pass, for people. */
  readonly findings?: MirrorFindings;
  /** The newest recheck, at Unix milliseconds, or the beginning of the wait for the first; and what it found to be gone. */
  readonly recheck?: { readonly at: number; readonly lost: readonly string[] };
  /** Unix milliseconds at which the process that acts for the mirror wrote last, be it without news. */
  readonly actedAt?: number;
  /** The beginning of the deletion of its repository. */
  readonly deletion?: MirrorDeletion;
}

const NEW: MirrorState = {
  term: 0,
  branches: {},
  gone: [],
  verified: {},
  external: 0,
  goneAtSource: 0,
  pieces: 0,
};

/** A line of the list: a commit that was recorded, or the id of one that is complete. */
type Line = readonly [id: string, metaRangeId: string, since: number, ...parents: string[]] | string;

/** The progress of a mirror, held by the process that acts for it. */
export class Progress {
  readonly #store: Store;
  readonly #uid: string;
  /** The condition of a commit that replaces the stored state. */
  #unchanged: Expectation;
  #unsaved: Line[] = [];
  readonly #complete = new Set<string>();
  readonly #pending = new Map<string, PendingCommit>();
  /** The state as it is stored. */
  #saved: MirrorState;
  state: MirrorState;

  private constructor(store: Store, uid: string, state: MirrorState, unchanged: Expectation) {
    this.#store = store;
    this.#uid = uid;
    this.state = state;
    this.#saved = state;
    this.#unchanged = unchanged;
  }

  /**
   * Reads the progress of a mirror.
   * @throws DamagedRecord for what no version of this service wrote
   */
  static async load(store: Store, uid: string): Promise<Progress> {
    return withSnapshot(store, async (snapshot) => {
      const at = { partition: PARTITION, key: `${uid}/state` };
      const stored = await snapshot.get(at.partition, at.key);
      const state = stateIn(uid, stored) ?? NEW;
      const progress = new Progress(store, uid, state, expectAsRead(snapshot, at, stored));
      const prefix = `${uid}/log/`;
      for (let after = prefix; ; ) {
        const found = await snapshot.scan(PARTITION, { prefix, after, limit: PAGE });
        for (const { key, value } of found) {
          for (const line of fitting(LOG_PIECE, key, value) as Line[]) progress.#apply(line);
        }
        const last = found.at(-1);
        if (found.length < PAGE || last === undefined) return progress;
        after = last.key;
      }
    });
  }

  /** Recorded commits that are not complete, parents first. */
  get pending(): ReadonlyMap<string, PendingCommit> {
    return this.#pending;
  }

  /** Number of recorded commits. */
  get recorded(): number {
    return this.#pending.size + this.#complete.size;
  }

  /** True for a commit that is recorded, with all its ancestors. */
  isRecorded(id: string): boolean {
    return this.#complete.has(id) || this.#pending.has(id);
  }

  /** True for a commit whose data, and that of all its ancestors, was seen. */
  isComplete(id: string): boolean {
    return this.#complete.has(id);
  }

  noteRecorded({ id, metaRangeId, since, parents }: PendingCommit): void {
    this.#add([id, metaRangeId, since, ...parents]);
  }

  noteComplete(id: string): void {
    this.#add(id);
  }

  /** True where something is not saved, be it of a pass that failed. */
  get hasNews(): boolean {
    return this.state !== this.#saved || this.#unsaved.length > 0;
  }

  /** Number of lines that are not saved. */
  get unsaved(): number {
    return this.#unsaved.length;
  }

  /**
   * Saves the state and what was noted, in one commit.
   * @param lease what the commit expects beside the state as it was read
   * @throws LeaseLost where another process has written meanwhile
   */
  async save(lease: readonly Expectation[]): Promise<void> {
    const lines = this.#unsaved;
    const pieces = this.state.pieces + (lines.length > 0 ? 1 : 0);
    const state = { ...this.state, pieces };
    const { partition, key } = this.#unchanged;
    const piece = `${this.#uid}/log/${String(this.state.pieces).padStart(10, "0")}`;
    try {
      const revision = await this.#store.commit({
        expect: [...lease, this.#unchanged],
        put: [
          { partition, key, value: JSON.stringify(state) },
          ...(lines.length > 0 ? [{ partition: PARTITION, key: piece, value: JSON.stringify(lines) }] : []),
        ],
      });
      this.#unchanged = { ...this.#unchanged, version: String(revision) };
    } catch (error) {
      if (isErrorCode(error, "conflict")) throw new LeaseLost("another process acts for the mirror");
      throw error;
    }
    this.state = state;
    this.#saved = state;
    this.#unsaved = [];
  }

  /**
   * The state of a mirror alone, for who only shows it; undefined where nothing was done for it yet.
   * @throws DamagedRecord for what no version of this service wrote
   */
  static async stateOf(store: Store, uid: string): Promise<MirrorState | undefined> {
    const stored = await withSnapshot(store, (snapshot) => snapshot.get(PARTITION, `${uid}/state`));
    return stateIn(uid, stored);
  }

  /**
   * Removes what is kept of a mirror that is no more.
   * @param state the state in which it is no more
   * @throws AuthorizerError "conflict" where another state has taken its place
   */
  static async forget(
    store: Store,
    uid: string,
    { base }: { readonly base?: string | undefined },
  ): Promise<void> {
    for (;;) {
      const found = await withSnapshot(store, (snapshot) =>
        snapshot.scan(PARTITION, { prefix: `${uid}/`, limit: PAGE }),
      );
      if (found.length === 0) return;
      const names = found.map(({ key }) => ({ partition: PARTITION, key }));
      const expect = found.map((record, index) => expectAsRead({ base }, names[index]!, record));
      await store.commit({ expect, delete: names });
    }
  }

  #add(line: Line): void {
    this.#apply(line);
    this.#unsaved.push(line);
  }

  #apply(line: Line): void {
    if (typeof line === "string") {
      this.#pending.delete(line);
      this.#complete.add(line);
      return;
    }
    const [id, metaRangeId, since, ...parents] = line;
    this.#pending.set(id, { id, metaRangeId, since, parents });
  }
}

function stateIn(uid: string, stored: { readonly value: string } | undefined): MirrorState | undefined {
  return stored && (fitting(MIRROR_STATE, `${uid}/state`, stored.value) as MirrorState);
}

/** The value of a record, which has a shape. Members that a later version added are left alone. */
function fitting(shape: Shape, key: string, value: string): unknown {
  let read: unknown;
  try {
    read = parseJsonText(value);
  } catch {
    throw new DamagedRecord(PARTITION, key);
  }
  const wrong = shape(read);
  if (wrong !== undefined && wrong.isUnknownMember !== true) throw new DamagedRecord(PARTITION, key);
  return read;
}
