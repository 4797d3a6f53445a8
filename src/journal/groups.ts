/** Group commit (spec/journal §2.2): which of the commits that wait become one entry. */

import type { CheckedCommit } from "../store/checks.ts";
import type { EncodedBody, PartsOf } from "../store/log-entry.ts";
import type { Change, EntryWrites, RecordName, RecordPut } from "../store/port.ts";
import { boundedUseCases, useCaseOf } from "../store/use-cases.ts";
import { WrittenKeys } from "../store/written-keys.ts";

/** A commit that waits for its entry. */
export interface Waiting {
  readonly commit: CheckedCommit;
  /** True: the entry asks the other nodes to hold back. */
  readonly turn: boolean;
  /** True: the entry raises the format of the log to the newest that this program knows. */
  readonly raise?: boolean;
  resolve(revision: number): void;
  reject(error: unknown): void;
  /** Clock time at which another node was faster for the first time. */
  lostSince: number | undefined;
  /** Times that another node was faster. */
  races: number;
  /** The body of this commit alone, where it is larger than an item. */
  body?: EncodedBody;
  /** Parts that hold that body. */
  parts?: WrittenParts;
}

/** Parts that were written, and the doubts of the node when that began. */
export interface WrittenParts {
  readonly of: PartsOf;
  readonly doubts: number;
}

/** The waiting commits, sorted for the next entry. */
interface Formed {
  /** Those that become the next entry. */
  readonly group: readonly Waiting[];
  /** Those that read what the group writes: they are for the entry after. */
  readonly later: readonly Waiting[];
  /** Those that ran on something that has changed. */
  readonly refused: readonly Waiting[];
}

/** Above this many changed names a change says `all`. */
const MOST_NAMES = 5_000;

/**
 * Forms the next group, in order.
 * @param holds whether the conditions of a commit hold in the newest state
 * @param budget bytes that a group may have about; one that alone has more is a group of its own
 */
export function formGroup(
  waiting: readonly Waiting[],
  holds: (commit: CheckedCommit) => boolean,
  budget: number,
): Formed {
  const [group, later, refused]: Waiting[][] = [[], [], []];
  const written = new WrittenKeys();
  let weight = 0;
  for (const one of waiting) {
    const { commit } = one;
    if (later!.length > 0 || readsWritten(commit, written)) {
      later!.push(one);
      continue;
    }
    if (!holds(commit)) {
      refused!.push(one);
      continue;
    }
    const own = weightOf(commit);
    if (group!.length > 0 && weight + own > budget) {
      later!.push(one);
      continue;
    }
    group!.push(one);
    weight += own;
    written.add(commit.put);
    written.add(commit.delete);
  }
  return { group: group!, later: later!, refused: refused! };
}

function readsWritten({ expect, reads }: CheckedCommit, written: WrittenKeys): boolean {
  return expect.some((name) => written.has(name)) || (reads !== undefined && written.touches(reads));
}

/** The bytes that a commit writes, about. */
export function weightOf({ put, delete: deleted }: CheckedCommit): number {
  let weight = 0;
  for (const { partition, key, value } of put) weight += partition.length + key.length + value.length + 16;
  for (const { partition, key } of deleted) weight += partition.length + key.length + 16;
  return weight;
}

/** Returns the writes of a group; of two writes of one key the later counts. */
export function mergeWrites(group: readonly Waiting[]): EntryWrites {
  const change = mergeChanges(group.map(({ commit }) => commit.change));
  const useCases = boundedUseCases(group.flatMap(({ commit }) => useCaseOf(commit) ?? []));
  const touches = { ...(change !== undefined && { change }), ...(useCases.length > 0 && { useCases }) };
  const only = group[0];
  if (group.length === 1 && only !== undefined) {
    return { put: only.commit.put, delete: only.commit.delete, ...touches };
  }
  const puts = new Map<string, RecordPut>();
  const deletes = new Map<string, RecordName>();
  for (const { commit } of group) {
    for (const put of commit.put) {
      const name = `${put.partition}\0${put.key}`;
      deletes.delete(name);
      puts.set(name, put);
    }
    for (const deleted of commit.delete) {
      const name = `${deleted.partition}\0${deleted.key}`;
      puts.delete(name);
      deletes.set(name, deleted);
    }
  }
  return { put: [...puts.values()], delete: [...deletes.values()], ...touches };
}

/** Returns the union of the changes of several commits; undefined if none of them touches anything. */
function mergeChanges(changes: readonly (Change | undefined)[]): Change | undefined {
  const given = changes.filter((change) => change !== undefined);
  if (given.length <= 1) return given[0];
  if (given.some(({ all }) => all === true)) return { all: true };
  const union = (of: "users" | "groups" | "policies"): string[] => [
    ...new Set(given.flatMap((change) => change[of] ?? [])),
  ];
  const [users, groups, policies] = [union("users"), union("groups"), union("policies")];
  if (users.length + groups.length + policies.length > MOST_NAMES) return { all: true };
  return {
    ...(users.length > 0 && { users }),
    ...(groups.length > 0 && { groups }),
    ...(policies.length > 0 && { policies }),
    ...(given.some(({ resources }) => resources === true) && { resources: true }),
  };
}
