/** A node's copy as a store that is only read: without a database, and while the node runs (spec/journal §3). */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CommittedChange, History, LogHead, Snapshot, Store } from "../port.ts";
import { revisionNotKept } from "../refusals.ts";
import type { EntryId } from "../replica.ts";
import { hasStateFile, readStateFile } from "./copy-file.ts";
import { DATA_FILE } from "./data-file.ts";
import { openCopyToRead, readCopyPosition } from "./replica-copy.ts";
import { LocalSnapshot } from "./snapshot.ts";

/** A copy that is read. */
interface CopyStore extends Store {
  /** Ids of its newest entries, in order. */
  readonly recent: readonly EntryId[];
}

/**
 * Opens the copy in a folder (`authorizer.replication.path`), or a former one that was kept beside it: the state of now,
 * whatever its node applies meanwhile.
 * @throws AuthorizerError "invalid_request" where there is none, "unavailable" where it cannot be read
 */
export function openCopyStore(path: string): CopyStore {
  const folder = hasStateFile(path) ? join(path, readStateFile(path).copy) : path;
  if (!existsSync(join(folder, DATA_FILE)))
    throw new AuthorizerError("invalid_request", `there is no copy of a directory in ${path}`);
  const copy = openCopyToRead(folder);
  // All reads are of this one state: the node may go on applying entries.
  const held = copy.database.useReadTransaction();
  const state = new LocalSnapshot(copy.database, {
    base: copy.base,
    committed: 0,
    isWriting: false,
    assertOpen: () => undefined,
    released: () => undefined,
  });
  const { revision, id, at, log } = readCopyPosition(copy.database, held);
  if (revision === 0) throw new AuthorizerError("invalid_request", `the copy in ${path} is empty`);
  const head: LogHead = { revision, id, at, log };
  const snapshot = (): Snapshot => ({
    revision,
    base: copy.base,
    get: (partition, key) => state.get(partition, key),
    getMany: (partition, keys) => state.getMany(partition, keys),
    scan: (partition, options) => state.scan(partition, options),
    release: () => undefined,
  });
  const stateAt = (asked: number): Snapshot => {
    if (asked !== revision) throw revisionNotKept(asked, revision, revision);
    return snapshot();
  };
  const history: History = {
    head,
    keptFrom: async () => revision,
    writes: async () => undefined,
    writeOf: async () => undefined,
    snapshotAt: async (asked) => stateAt(asked),
    recordAt: async (asked, { partition, key }) => stateAt(asked).get(partition, key),
    records: (asked) => {
      if (asked !== revision) throw revisionNotKept(asked, revision, revision);
      return copy.pages(() => undefined, held);
    },
    about: async () => [],
    forgetPast: readOnly,
    idOf: async (asked) => (asked === revision ? id : undefined),
  };
  return {
    recent: copy.recentIds().filter(([of]) => of <= revision),
    logId: log.slice(0, 8),
    history,
    snapshot: async () => snapshot(),
    commit: readOnly,
    changes: async (after): Promise<readonly CommittedChange[] | undefined> =>
      after >= revision ? [] : undefined,
    subscribe: () => () => undefined,
    health: async () => undefined,
    close: async () => {
      state.release();
      held.done();
      await copy.database.close();
    },
  };
}

function readOnly(): Promise<never> {
  return Promise.reject(new AuthorizerError("unavailable", "a copy of a directory is only read"));
}
