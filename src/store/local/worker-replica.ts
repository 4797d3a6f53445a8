/** A node's copy of a log in a folder as a worker of the node reads it (spec/journal §7); the primary process writes it. */

import { join } from "node:path";
import { readStateFile } from "./copy-file.ts";
import { readNotedId, readNotes } from "./replica-entries.ts";
import { WorkerFolder } from "./worker-folder.ts";

/**
 * Opens the copy that the primary has in a folder, and goes on with the next one where that is replaced.
 * @throws AuthorizerError "unavailable" when it cannot be read
 */
export function openWorkerReplica(path: string): WorkerReplica {
  const locate = (): string => join(path, readStateFile(path).copy);
  return new WorkerReplica({ locate, readEntries: readNotes });
}

/** The copy, with the ids of its newest entries. */
class WorkerReplica extends WorkerFolder {
  /** As {@link History.idOf}. */
  async idOf(revision: number): Promise<string | undefined> {
    return revision === this.head.revision ? this.head.id : readNotedId(this.database, revision);
  }
}
