/** Opens what works on data: log, catalog, store and directory. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";
import { type OpenedDirectory, openDirectory } from "../directory/open-directory.ts";
import { NotedChanges } from "../directory/read/noted-changes.ts";
import type { HeldRevocations } from "../directory/revocations/hold-revocations.ts";
import type { OidcTokens } from "../identity/oidc/oidc.ts";
import type { JournalStore } from "../journal/journal-store.ts";
import { notingStore } from "../journal/noting-store.ts";
import { CommitNotes, openRevisions, type StoreRevisions } from "../journal/revisions.ts";
import type { UsageItems } from "../journal/usage-items.ts";
import { createLogger, type Logger, type LogLevel } from "../observe/log/logger.ts";
import type { EngineTimes } from "../observe/metrics/engine-metrics.ts";
import { OpenSnapshots } from "../observe/metrics/open-snapshots.ts";
import { createStoreCounters, observeStore, type StoreCounters } from "../observe/metrics/store-metrics.ts";
import type { LineRelay } from "../observe/output/relay-target.ts";
import type { MemoryStore } from "../store/memory/memory-store.ts";
import type { Store } from "../store/port.ts";
import type { Traces } from "../tracing/traces.ts";
import { openIssuers } from "./oidc.ts";
import { openedOrClosed } from "./opened-or-closed.ts";
import { type OpenedStore, openStore } from "./store/backends.ts";
import { raisingStore } from "./store/raised-log.ts";
import { openRevocations } from "./store/revocations.ts";

/** The parts that work on data, without listeners: what commands such as `load` and `export` need. */
export interface DataParts {
  readonly values: ConfigValues;
  readonly logger: Logger;
  readonly catalog: Catalog;
  readonly store: Store;
  /** The store itself if it is in memory, which can be captured and restored. */
  readonly memory: MemoryStore | undefined;
  /** The store itself where it is a node of several. */
  readonly journal: JournalStore | undefined;
  /** Use, as the nodes of its engine tell each other. */
  readonly usageItems: UsageItems | undefined;
  /** Durations of the calls of its engine. */
  readonly engineTimes: EngineTimes | undefined;
  /** See {@link OpenedStore.isContested}. */
  readonly isContested: () => Promise<boolean>;
  readonly storeCounters: StoreCounters;
  readonly openSnapshots: OpenSnapshots;
  readonly directory: OpenedDirectory;
  /** Counts of what was revoked again at the opening, as an older state had been put in the store's place; undefined: nothing. */
  readonly heldRevocations: HeldRevocations | undefined;
  readonly revisions: StoreRevisions;
  /** Tokens of identity providers. */
  readonly oidc: OidcTokens;
  /** The changes that calls commit; undefined if the audit log keeps none. */
  readonly noted: NotedChanges | undefined;
  /** Undefined if nothing is traced. */
  readonly traces: Traces | undefined;
  /**
   * Closes directory and store: no commit is begun any more, and those under way are answered. Before the audit log ends,
   * which has to hear of them. Calling it twice is harmless.
   */
  closeStore(): Promise<void>;
  /** Closes everything, the log last. */
  close(): Promise<void>;
}

/** The log that the configuration asks for. */
export function openLog(values: ConfigValues, relay?: LineRelay): Logger {
  return createLogger({
    ...(relay !== undefined && { relay }),
    format: values["logging.format"],
    level: values["logging.level"] as LogLevel,
    auditLevel: values["logging.audit_log_level"] as LogLevel,
    outputs: values["logging.output"],
    filesKeep: values["logging.files_keep"],
    fileMaxSizeMb: values["logging.file_max_size_mb"],
  });
}

/** Options of {@link openData}. */
interface DataOptions {
  /** Traces of requests, which {@link DataParts.close} closes; undefined: none. */
  readonly traces?: Traces | undefined;
  /** Opens the store; default {@link openStore}. */
  readonly open?: typeof openStore;
  /** False: another process does the background work on the store. Default true. */
  readonly upkeep?: boolean;
  /** True: login tokens go on where an older state of a local store was put back. Default false. */
  readonly keepSessions?: boolean;
  /** Breaks off what a start waits for longest, the join of a large directory: the opening throws its reason then. */
  readonly ending?: AbortSignal;
}

/**
 * Opens store, catalog and directory. Where that fails, it has closed everything, also what it was given.
 * @throws AuthorizerError "unavailable" (store in use, unreadable), "invalid_request" (wrong secret key, another
 * partition, backend that this build does not have)
 */
export function openData(
  values: ConfigValues,
  logger: Logger,
  options: DataOptions = {},
): Promise<DataParts> {
  return openedOrClosed((opened) => openAll(values, logger, options, opened));
}

async function openAll(
  values: ConfigValues,
  logger: Logger,
  { open = openStore, upkeep = true, traces, keepSessions = false, ending }: DataOptions,
  closings: AsyncDisposableStack,
): Promise<DataParts> {
  closings.defer(() => logger.close());
  closings.defer(() => traces?.close());
  const storeCounters = createStoreCounters();
  const catalog = await openCatalog({ partition: values["authorizer.partition"] });
  const opened = await open(values, logger, traces?.within, ending);
  const { store: bare, memory } = opened;
  let revocations: Awaited<ReturnType<typeof openRevocations>>;
  // After the store, whose last commits are noted there.
  closings.defer(() => revocations?.close());
  const stored = closings.use(new AsyncDisposableStack());
  stored.defer(() => bare.close());
  const notes = new CommitNotes();
  const openSnapshots = new OpenSnapshots();
  let revisions: StoreRevisions | undefined;
  const noteCommit = (revision: number): void => {
    if (revisions !== undefined) notes.note(revisions.positionOf(revision));
  };
  const noteCheck = (): void => {
    if (revisions !== undefined) notes.note(revisions.current());
  };
  const counted = observeStore(bare, storeCounters, noteCommit, openSnapshots, traces?.within);
  const raising = raisingStore(counted, logger);
  const observed = notingStore(raising, { read: () => notes.noteRead(), failedCheck: noteCheck });
  const noted = notedChanges(values, notes);
  if (upkeep) revocations = await openRevocations(values, logger, keepSessions);
  const store = watched(watched(observed, revocations), noted);
  const directory = await openDirectory({
    store,
    upkeep,
    ...directorySettings(values, catalog),
    ...(memory === undefined ? {} : { keyCost: CHEAP_COST }),
  });
  stored.defer(() => directory.close());
  const heldRevocations = await revocations?.hold(directory);
  // After the directory, whose subscription tells the caches.
  const named = openRevisions({ store, notes });
  stored.defer(() => named.close());
  revisions = named;
  return {
    ...{ values, logger, catalog, store, memory, storeCounters, openSnapshots, directory },
    journal: opened.journal,
    engineTimes: opened.engineTimes,
    usageItems: opened.usageItems,
    isContested: opened.isContested ?? (async () => false),
    revisions: named,
    heldRevocations,
    oidc: openIssuers(values),
    noted,
    traces,
    closeStore: () => stored.disposeAsync(),
    close: () => closings.disposeAsync(),
  };
}

function directorySettings(values: ConfigValues, { partition, services, resourceTypes }: Catalog) {
  return {
    partition,
    services,
    resourceTypes: new Set(resourceTypes.keys()),
    guards: values["authorizer.guards"],
    limits: limitsOf(values),
    rememberedGroups: values["auth.cache.enabled"] ? values["auth.cache.size"] : 0,
    commitTimeoutMs: values["authorizer.replication.commit_timeout"],
    secretKey: values["auth.encrypt.secret_key"] ?? "",
    ...optional("previousSecretKey", values["authorizer.previous_secret_key"]),
  };
}

/** The changes of calls, if the audit log keeps records. */
function notedChanges(values: ConfigValues, notes: CommitNotes): NotedChanges | undefined {
  if (values["authorizer.audit.directory"] === undefined) return undefined;
  return new NotedChanges(() => notes.call);
}

/** The store, whose commits somebody looks at. */
function watched(store: Store, by: { observed(store: Store): Store } | undefined): Store {
  return by?.observed(store) ?? store;
}

/** Cost of the key derivation for a store in memory, which is never written to disk. */
export const CHEAP_COST = { N: 256, r: 8, p: 1 };

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [name in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in K]?: V };
}
