/** Notes what the commits of a call change, for the records of the audit log (spec/decision-log §6.1). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type Commit, isCheck, type Store, withSnapshot } from "../../store/port.ts";
import { withCalls } from "../../store/with-calls.ts";
import {
  type ChangedRecord,
  type DescribedChanges,
  describeChanges,
  isDescribed,
  namesTouchedBy,
} from "./described-changes.ts";

/** Most records of a commit whose former values are read. */
const MOST_RECORDS = 1_000;

/** A commit of a call. */
interface NotedCommit extends DescribedChanges {
  /** undefined if it is not known whether the commit happened. */
  readonly revision: number | undefined;
}

/** Keeps the commits of calls until their events are recorded. */
export class NotedChanges {
  readonly #call: () => object | undefined;
  readonly #commits = new WeakMap<object, NotedCommit[]>();

  /** @param call the call in whose context work is done */
  constructor(call: () => object | undefined) {
    this.#call = call;
  }

  /** Returns the commits of the present call that no event has taken. */
  take(): readonly NotedCommit[] {
    const call = this.#call();
    const commits = call === undefined ? undefined : this.#commits.get(call);
    if (call === undefined || commits === undefined) return [];
    this.#commits.delete(call);
    return commits;
  }

  /** The store, whose commits are noted with their calls. */
  observed(store: Store): Store {
    const commit = async (asked: Commit): Promise<number> => {
      const call = this.#call();
      if (call === undefined || isCheck(asked)) return store.commit(asked);
      const before = await stateBefore(store, asked);
      const note = (revision: number | undefined): void => {
        const noted = { revision, ...describeChanges(before.records, before.names) };
        if (noted.changes.length > 0) this.#commits.set(call, [...(this.#commits.get(call) ?? []), noted]);
      };
      try {
        const revision = await store.commit(asked);
        note(revision);
        return revision;
      } catch (error) {
        if (isErrorCode(error, "outcome_unknown")) note(undefined);
        throw error;
      }
    };
    return withCalls(store, { commit });
  }
}

interface StateBefore {
  readonly records: readonly ChangedRecord[];
  /** Names by internal id. */
  readonly names: ReadonlyMap<string, string>;
}

/** Reads what a commit is about to change. A commit whose reads are outdated fails, so that this is what it changed. */
function stateBefore(store: Store, commit: Commit): Promise<StateBefore> {
  return withSnapshot(store, async (snapshot) => {
    const written = [
      ...(commit.put ?? []).map(({ partition, key, value }) => ({ partition, key, after: value })),
      ...(commit.delete ?? []).map(({ partition, key }) => ({ partition, key, after: undefined })),
    ].filter(({ partition }) => isDescribed(partition));
    const records: ChangedRecord[] = [];
    for (const one of written.slice(0, MOST_RECORDS)) {
      records.push({ ...one, before: (await snapshot.get(one.partition, one.key))?.value });
    }
    const names = new Map<string, string>();
    const name = (kind: string, key: string, value: string | undefined): void => {
      if (value !== undefined) names.set((parseJsonText(value) as { id: string }).id, `${kind} ${key}`);
    };
    for (const [kind, key] of namesTouchedBy(commit)) {
      name(kind, key, (await snapshot.get(kind, key))?.value);
    }
    for (const { partition, key, after } of records) {
      if (partition === "user" || partition === "group") name(partition, key, after);
    }
    return { records, names };
  });
}
