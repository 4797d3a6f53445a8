/**
 * The records of mirrors in the store: what was asked for. Their progress is elsewhere (`progress`): it changes often, and no
 * decision depends on it. Keys of the partition `mirror` are names of mirrors; every write of it says that all decisions may
 * have changed, since mirrors are read-only.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type Expectation, expectAsRead } from "../store/expectation.ts";
import {
  type Commit,
  DamagedRecord,
  type ReadSet,
  type ScannedRange,
  type ScannedRecord,
  type Snapshot,
  type Store,
  withSnapshot,
} from "../store/port.ts";
import type { BranchPatterns } from "./branch-selection.ts";
import type { Mirror } from "./mirror.ts";
import { MIRROR_RECORD } from "./upkeep/mirror-shapes.ts";

/** Partition of the records of mirrors. */
export const MIRRORS = "mirror";
/** Most mirrors of a service, with those that were deleted a moment ago. */
export const MOST_MIRRORS = 500;
/** A deleted mirror's name is free again after this time, in seconds: caches of a data server answer for it until then. */
const NAME_RESTS_S = 60;

const EVERY_RECORD: ScannedRange = { partition: MIRRORS, prefix: "", after: undefined, upTo: undefined };

/** A mirror's record in the store. */
interface MirrorRecord {
  readonly uid: string;
  readonly region: string;
  readonly source_repository: string;
  readonly storage_namespace: string;
  readonly branches: BranchPatterns;
  /** Unix seconds. */
  readonly created_at: number;
  readonly created_by: string;
  readonly deleting?: true;
  /** Unix seconds at which its repository was found to be gone: nothing is left but the name, which rests. */
  readonly gone_at?: number;
}

/** A mirror as its record was read. */
export interface RecordedMirror {
  readonly mirror: Mirror;
  /** The condition of a commit that is made for the mirror as it was read. */
  readonly unchanged: Expectation;
  /** See {@link MirrorRecord.gone_at}; undefined for a mirror that exists. */
  readonly goneAt: number | undefined;
}

/**
 * Judges the right of whoever writes, in a state of the store (spec/journal §2.1); returns what that depends on.
 * @throws what the judge throws
 */
export type JudgeWrite = (snapshot: Snapshot) => Promise<ReadSet>;

/** A write that was derived from a state. */
interface DerivedWrite extends Pick<Commit, "expect" | "put" | "delete"> {
  /** Further conditions: all that was read. */
  readonly ranges?: readonly ScannedRange[];
}

/** Reads and writes the records. */
export class MirrorRecords {
  readonly #store: Store;
  /** Unix seconds. */
  readonly #now: () => number;
  readonly #judge: JudgeWrite;

  /** @param judge of each write; default: all pass */
  constructor(
    store: Store,
    now: () => number = () => Math.floor(Date.now() / 1_000),
    judge: JudgeWrite = letPass,
  ) {
    this.#store = store;
    this.#now = now;
    this.#judge = judge;
  }

  /** All mirrors in the order of their names, with those that are deleted. */
  all(): Promise<readonly RecordedMirror[]> {
    return withSnapshot(this.#store, recordsIn);
  }

  /** The mirror of a name; undefined where there is none, or its repository is gone. */
  async get(name: string): Promise<RecordedMirror | undefined> {
    const found = await this.#find(name);
    return found?.goneAt === undefined ? found : undefined;
  }

  /** Throws "already_exists" where a name is that of a mirror, or rests. */
  async assertNameFree(name: string): Promise<void> {
    const found = await this.#find(name);
    if (found !== undefined) throw takenBy(found, this.#now());
  }

  /**
   * Writes a new mirror.
   * @param assertFree throws where another mirror is in its way; all that exist are shown to it, in the state of the write
   * @throws AuthorizerError "already_exists" where the name is taken or rests, "invalid_request" where there are too many
   */
  async add(mirror: Mirror, assertFree: (others: readonly Mirror[]) => void): Promise<void> {
    await this.#write(async (snapshot) => {
      const all = await recordsIn(snapshot);
      const taken = all.find((one) => one.mirror.name === mirror.name);
      if (taken !== undefined) throw takenBy(taken, this.#now());
      if (all.length >= MOST_MIRRORS)
        throw new AuthorizerError("invalid_request", `there are ${MOST_MIRRORS} mirrors, which is the most`);
      assertFree(all.filter(({ goneAt }) => goneAt === undefined).map((one) => one.mirror));
      // Whoever was faster may be in the way: every record of the partition is a condition.
      return { ranges: [EVERY_RECORD], put: [putOf(mirror)] };
    }, mirror.createdBy);
  }

  /**
   * Replaces a record that was read.
   * @param actor the user who asked for it; undefined: the service itself
   * @throws AuthorizerError "conflict" where it was written since
   */
  async replace({ unchanged }: RecordedMirror, mirror: Mirror, actor?: string): Promise<void> {
    await this.#write(async () => ({ expect: [unchanged], put: [putOf(mirror)] }), actor);
  }

  /** Notes that the repository of a mirror that was to be deleted is gone; the name rests from now on. */
  async noteGone({ mirror, unchanged }: RecordedMirror): Promise<void> {
    await this.#write(async () => ({ expect: [unchanged], put: [putOf(mirror, this.#now())] }));
  }

  /** True once the name of a mirror that is gone may be forgotten. */
  hasRested({ goneAt }: RecordedMirror): boolean {
    return goneAt !== undefined && this.#now() - goneAt >= NAME_RESTS_S;
  }

  /**
   * Removes a record that was read.
   * @throws AuthorizerError "conflict" where it was written since
   */
  async remove({ unchanged }: RecordedMirror, actor?: string): Promise<void> {
    const { partition, key } = unchanged;
    await this.#write(async () => ({ expect: [unchanged], delete: [{ partition, key }] }), actor);
  }

  /** The record of a name, be it of a mirror that is gone. */
  async #find(name: string): Promise<RecordedMirror | undefined> {
    return withSnapshot(this.#store, async (snapshot) => {
      const stored = await snapshot.get(MIRRORS, name);
      return stored && decoded(snapshot, { key: name, ...stored });
    });
  }

  /** Writes what is derived from a state in which the write is judged, too. */
  async #write(derive: (snapshot: Snapshot) => Promise<DerivedWrite>, actor?: string): Promise<void> {
    await withSnapshot(this.#store, async (snapshot) => {
      const judged = await this.#judge(snapshot);
      const { ranges = [], ...write } = await derive(snapshot);
      await this.#store.commit({
        ...write,
        reads: { ...judged, ranges: [...judged.ranges, ...ranges] },
        change: { all: true },
        ...(actor !== undefined && { actor }),
      });
    });
  }
}

async function letPass({ revision, base }: Snapshot): Promise<ReadSet> {
  return { revision, base, keys: new Map(), ranges: [] };
}

/** All records of a state. */
export async function recordsIn(snapshot: Snapshot): Promise<readonly RecordedMirror[]> {
  const found = await snapshot.scan(MIRRORS, { limit: MOST_MIRRORS });
  return found.map((stored) => decoded(snapshot, stored));
}

function takenBy({ mirror: { name }, goneAt }: RecordedMirror, now: number): AuthorizerError {
  const left = goneAt === undefined ? 0 : Math.max(1, goneAt + NAME_RESTS_S - now);
  const what =
    goneAt === undefined ? `there is a mirror ${name}` : `the mirror ${name} was deleted a moment ago`;
  const message = left === 0 ? what : `${what}: the name is free in about ${left} seconds`;
  return new AuthorizerError("already_exists", message);
}

function putOf(mirror: Mirror, goneAt?: number) {
  const record: MirrorRecord = {
    uid: mirror.uid,
    region: mirror.region,
    source_repository: mirror.sourceRepository,
    storage_namespace: mirror.storageNamespace,
    branches: mirror.branches,
    created_at: mirror.createdAt,
    created_by: mirror.createdBy,
    ...(mirror.isDeleting === true && { deleting: true }),
    ...(goneAt !== undefined && { gone_at: goneAt }),
  };
  return { partition: MIRRORS, key: mirror.name, value: JSON.stringify(record) };
}

function decoded(snapshot: Snapshot, stored: ScannedRecord): RecordedMirror {
  const { key: name, value } = stored;
  const record = recordIn(name, value);
  return {
    mirror: {
      uid: record.uid,
      name,
      region: record.region,
      sourceRepository: record.source_repository,
      storageNamespace: record.storage_namespace,
      branches: record.branches,
      createdAt: record.created_at,
      createdBy: record.created_by,
      ...(record.deleting === true && { isDeleting: true }),
    },
    unchanged: expectAsRead(snapshot, { partition: MIRRORS, key: name }, stored),
    goneAt: record.gone_at,
  };
}

/** A record that cannot be read is no mirror less: whoever asks for it is refused. */
function recordIn(name: string, value: string): MirrorRecord {
  try {
    const read: unknown = parseJsonText(value);
    const wrong = MIRROR_RECORD(read);
    if (wrong === undefined || wrong.isUnknownMember === true) return read as MirrorRecord;
  } catch {
    // As a record of another shape.
  }
  throw new DamagedRecord(MIRRORS, name);
}
