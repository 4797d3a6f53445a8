/**
 * The store in a local folder as a worker has it (spec/journal §7): it reads the folder, and the primary process, which
 * holds the lock of the folder, writes.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Commit, CommitListener, CommittedChange, Snapshot, Store } from "../port.ts";
import { LocalHistory } from "./local-history.ts";
import { readEntries } from "./local-log.ts";
import { WorkerFolder } from "./worker-folder.ts";

/** Options of {@link openWorkerStore}. */
interface WorkerStoreOptions {
  readonly path: string;
  /** Hands a commit to the primary; as {@link Store.commit}. */
  readonly commit: (commit: Commit) => Promise<number>;
}

/** Opens a folder that the primary has opened. Throws AuthorizerError "unavailable" when it cannot be read. */
export function openWorkerStore({ path, commit }: WorkerStoreOptions): Store {
  return new WorkerStore(path, new WorkerFolder({ locate: () => path, readEntries }), commit);
}

class WorkerStore implements Store {
  readonly history: LocalHistory;
  readonly #folder: WorkerFolder;
  readonly #send: (commit: Commit) => Promise<number>;

  constructor(path: string, folder: WorkerFolder, send: (commit: Commit) => Promise<number>) {
    this.#folder = folder;
    this.#send = send;
    this.history = new LocalHistory({
      path,
      database: folder.database,
      head: () => folder.head,
      snapshot: () => folder.snapshot(),
      transact: () => {
        throw new AuthorizerError("internal", "a worker does not write to the folder");
      },
      assertOpen: () => folder.assertOpen(),
    });
  }

  get logId(): string {
    return this.#folder.logId;
  }

  async snapshot(): Promise<Snapshot> {
    return this.#folder.snapshot();
  }

  async commit(commit: Commit): Promise<number> {
    this.#folder.assertOpen();
    const revision = await this.#send(commit);
    this.follow();
    return revision;
  }

  async changes(after: number, limit: number): Promise<readonly CommittedChange[] | undefined> {
    return this.history.entries(after, limit);
  }

  subscribe(listener: CommitListener): () => void {
    return this.#folder.subscribe(listener);
  }

  follow(): void {
    this.#folder.follow();
  }

  async catchUp(): Promise<void> {
    this.follow();
  }

  async health(): Promise<void> {
    this.#folder.health();
  }

  close(): Promise<void> {
    return this.#folder.close();
  }
}
