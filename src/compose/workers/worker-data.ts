/** The store of a worker: its primary's folder, or the primary's copy of a shared database (spec/journal §7). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { Contact, WorkerView } from "../../journal/contact.ts";
import { isContested } from "../../journal/guard.ts";
import { LazyEngine } from "../../journal/lazy-engine.ts";
import { UsageItems } from "../../journal/usage-items.ts";
import { type PrimaryCalls, WorkerJournal } from "../../journal/worker-journal.ts";
import { outcomeUnknown } from "../../journal/write-refusals.ts";
import type { Logger } from "../../observe/log/logger.ts";
import { openWorkerReplica } from "../../store/local/worker-replica.ts";
import { openWorkerStore } from "../../store/local/worker-store.ts";
import type { Commit } from "../../store/port.ts";
import type { Channel } from "../../workers/channel.ts";
import { portableCommit } from "../../workers/portable-commit.ts";
import { localFolder, type OpenedStore, openEngine } from "../store/backends.ts";
import { KIND } from "./worker-role.ts";

/** The surroundings of a worker's store. */
interface WorkerSurroundings {
  readonly values: ConfigValues;
  readonly logger: Logger;
  readonly channel: Channel;
  /** Undefined with a store of one process. */
  readonly copy: WorkerView | undefined;
  /** Calls its listener with each news of the primary's contact. */
  readonly onContact: (listener: (contact: Contact) => void) => void;
}

/** Opens the store that the primary has opened. Throws AuthorizerError "unavailable" when it cannot be read. */
export function openForWorker(surroundings: WorkerSurroundings): OpenedStore {
  const { values, channel, copy } = surroundings;
  const commit = (asked: Commit): Promise<number> =>
    channel.ask(KIND.commit, portableCommit(asked), outcomeUnknown);
  if (copy !== undefined) {
    return openCopy(surroundings, copy, {
      commit,
      takeTurn: () => channel.ask(KIND.takeTurn),
      catchUp: () => channel.ask(KIND.catchUp),
      prove: (caller) => channel.ask(KIND.prove, caller),
    });
  }
  return { store: openWorkerStore({ path: localFolder(values), commit }), memory: undefined };
}

function openCopy(
  { values, logger, onContact }: WorkerSurroundings,
  { folder, budgets, contact }: WorkerView,
  primary: PrimaryCalls,
): OpenedStore {
  if (folder === undefined) {
    throw new AuthorizerError("internal", "the copy of the primary process is in its memory");
  }
  const engine = new LazyEngine(budgets, async () => {
    const opened = await openEngine(values, logger);
    if (opened === undefined) throw new AuthorizerError("internal", "there is no shared database");
    return opened;
  });
  const store = new WorkerJournal({
    copy: openWorkerReplica(folder),
    engine,
    primary,
    maxStalenessMs: values["authorizer.replication.max_staleness"],
    contact,
  });
  onContact((news) => store.told(news));
  return {
    store,
    memory: undefined,
    usageItems: new UsageItems(engine),
    isContested: () => isContested(engine, store.history.head.log),
  };
}
