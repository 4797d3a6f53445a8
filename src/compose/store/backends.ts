/** The kinds of store (`database.type`) that this build has, and how each is opened. */

import { basename, join } from "node:path";
import { VERSION } from "@svc-authorizer/commands/new-program.ts";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import { NODES } from "../../directory/records/sealing.ts";
import type { Engine } from "../../journal/engine.ts";
import { isContested } from "../../journal/guard.ts";
import type { JournalStore } from "../../journal/journal-store.ts";
import { UsageItems } from "../../journal/usage-items.ts";
import type { Logger } from "../../observe/log/logger.ts";
import type { EngineTimes } from "../../observe/metrics/engine-metrics.ts";
import type { InSpan } from "../../observe/metrics/store-metrics.ts";
import type { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/port.ts";
import type { Replica } from "../../store/replica.ts";
import type { StoreLog } from "../../store/store-log.ts";
import { assertPackages } from "../needed-packages.ts";

/** An open store. */
export interface OpenedStore {
  readonly store: Store;
  /** The store itself if it is in memory, which can be captured and restored. */
  readonly memory: MemoryStore | undefined;
  /** The store itself where it is a node of several. */
  readonly journal?: JournalStore;
  /** Use, as the nodes of its engine tell each other. */
  readonly usageItems?: UsageItems;
  /** Durations of the calls of its engine. */
  readonly engineTimes?: EngineTimes;
  /** True if nodes have copies of another log than that of the shared database, and miss it there. */
  readonly isContested?: () => Promise<boolean>;
}

type OpenBackend = (values: ConfigValues, logger: Logger) => Promise<OpenedStore>;
type OpenEngine = (values: ConfigValues, logger: Logger) => Promise<Engine>;

/** Stores of one process. A backend's driver is loaded only when it is opened. */
const BACKENDS: ReadonlyMap<string, OpenBackend> = new Map([
  ["local", openLocal],
  ["mem", openMemory],
]);

/** Databases that several nodes share. */
const ENGINES: ReadonlyMap<string, OpenEngine> = new Map([
  ["postgres", openPostgres],
  ["dynamodb", openDynamodb],
  ["cosmosdb", openCosmosdb],
]);

/** The values of `database.type` that this build can open, for `config validate` and `run` alike. */
export const DATABASE_TYPES: readonly string[] = [...BACKENDS.keys(), ...ENGINES.keys()];

/** Opens the engine that `database.type` names; undefined where it names a store of one process. */
export async function openEngine(values: ConfigValues, logger: Logger): Promise<Engine | undefined> {
  return ENGINES.get(values["database.type"] ?? "")?.(values, logger);
}

/**
 * Opens the backend that `database.type` names.
 * @throws AuthorizerError "invalid_request" where this build has no such backend, "unavailable" where it cannot be
 * opened
 * @param inSpan runs the calls of a shared database in spans; absent if nothing is traced
 * @param ending breaks the join of a shared database off
 */
export async function openStore(
  values: ConfigValues,
  logger: Logger,
  inSpan?: InSpan,
  ending?: AbortSignal,
): Promise<OpenedStore> {
  const type = values["database.type"] ?? "";
  const open = BACKENDS.get(type);
  if (open !== undefined) return open(values, logger);
  if (ENGINES.has(type)) return openReplicated(values, logger, inSpan, ending);
  if (type === "") {
    throw new AuthorizerError(
      "invalid_request",
      `database.type is not set: one of ${DATABASE_TYPES.join(", ")}`,
    );
  }
  const message = `database.type ${type} is not available in this build; use ${DATABASE_TYPES.join(" or ")}`;
  throw new AuthorizerError("invalid_request", message);
}

async function openMemory(values: ConfigValues): Promise<OpenedStore> {
  const { openMemoryStore } = await import("../../store/memory/memory-store.ts");
  const memory = openMemoryStore({ keepMs: values["authorizer.history.keep"] });
  return { store: memory, memory };
}

async function openLocal(values: ConfigValues, logger: Logger): Promise<OpenedStore> {
  const { openLocalStore } = await import("../../store/local/local-store.ts");
  const store = await openLocalStore({
    path: localFolder(values),
    syncWrites: values["database.local.sync_writes"],
    checksPages: values["authorizer.check_pages"],
    log: storeLog(logger, values["database.local.enable_logging"]),
    keepMs: values["authorizer.history.keep"],
    writer: `svc-authorizer ${VERSION}`,
  });
  return { store, memory: undefined };
}

async function openPostgres(values: ConfigValues, logger: Logger): Promise<Engine> {
  const { openPostgresEngine } = await import("../../journal/engines/postgres.ts");
  return openPostgresEngine({
    connectionString: values["database.postgres.connection_string"],
    maxOpenConnections: values["database.postgres.max_open_connections"],
    maxIdleConnections: values["database.postgres.max_idle_connections"],
    connectionMaxLifetimeMs: values["database.postgres.connection_max_lifetime"],
    statementTimeoutMs: values["authorizer.replication.commit_timeout"],
    warn: (message) => logger.warn(message),
  });
}

async function openDynamodb(values: ConfigValues, logger: Logger): Promise<Engine> {
  assertPackages(values, "database.type");
  const { openDynamodbEngine } = await import("../../journal/engines/dynamodb.ts");
  const [accessKeyId, secretAccessKey] = [
    values["database.dynamodb.cloud_access_key_id"],
    values["database.dynamodb.cloud_secret_access_key"],
  ];
  return openDynamodbEngine({
    tableName: values["database.dynamodb.table_name"],
    scanLimit: values["database.dynamodb.scan_limit"],
    ...given("endpoint", values["database.dynamodb.endpoint"]),
    ...given("region", values["database.dynamodb.cloud_region"]),
    ...given("profile", values["database.dynamodb.cloud_profile"]),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: values["database.dynamodb.max_attempts"],
    maxConnections: values["database.dynamodb.max_connections"],
    requestTimeoutMs: values["authorizer.replication.commit_timeout"],
    healthCheckMs: values["database.dynamodb.health_check_interval"],
    warn: (message) => logger.warn(message),
  });
}

async function openCosmosdb(values: ConfigValues, logger: Logger): Promise<Engine> {
  assertPackages(values, "database.type");
  const { openCosmosdbEngine } = await import("../../journal/engines/cosmosdb.ts");
  return openCosmosdbEngine({
    endpoint: values["database.cosmosdb.endpoint"],
    key: values["database.cosmosdb.key"] || undefined,
    database: values["database.cosmosdb.database"],
    container: values["database.cosmosdb.container"],
    throughput: values["database.cosmosdb.throughput"],
    autoscale: values["database.cosmosdb.autoscale"],
    requestTimeoutMs: values["authorizer.replication.commit_timeout"],
    warn: (message) => logger.warn(message),
  });
}

function given<K extends string>(key: K, value: string | undefined): { readonly [name in K]?: string } {
  return (value ? { [key]: value } : {}) as { readonly [name in K]?: string };
}

/** A node of its own over an engine that others share. */
async function openReplicated(
  values: ConfigValues,
  logger: Logger,
  inSpan: InSpan | undefined,
  ending: AbortSignal | undefined,
): Promise<OpenedStore> {
  const { openJournal } = await import("../../journal/journal-store.ts");
  const { createEngineTimes, observeEngine } = await import("../../observe/metrics/engine-metrics.ts");
  const engineTimes = createEngineTimes();
  const replica = await openReplica(values, logger);
  const engine = await openEngineOrLater(replica, values, logger).catch(async (error: unknown) => {
    await replica.close();
    throw error;
  });
  const observed = observeEngine(engine, engineTimes, inSpan);
  const journal = await openJournal({
    engine: observed,
    replica,
    creation: { isAllowed: values["authorizer.replication.create_log"], waitMs: GUARD_MS },
    settings: {
      pollMs: values["authorizer.replication.poll_interval"],
      maxStalenessMs: values["authorizer.replication.max_staleness"],
      commitTimeoutMs: values["authorizer.replication.commit_timeout"],
      checkpointEvery: values["authorizer.replication.checkpoint_every"],
      keepMs: values["authorizer.history.keep"],
    },
    nodeRecords: { partition: "meta", prefix: NODES },
    log: storeLog(logger, true),
    ending,
  });
  return {
    store: journal,
    memory: undefined,
    journal,
    engineTimes,
    usageItems: new UsageItems(observed),
    isContested: () => isContested(observed, journal.history.head.log),
  };
}

/** The engine; where the database is away and the copy of an earlier process may be answered from, it is opened later. */
async function openEngineOrLater(replica: Replica, values: ConfigValues, logger: Logger): Promise<Engine> {
  const open = async (): Promise<Engine> => (await openEngine(values, logger))!;
  try {
    return await open();
  } catch (error) {
    const mayWait = isErrorCode(error, "unavailable") && replica.keptContact?.() !== undefined;
    if (!mayWait) throw error;
    const { ReopenedEngine } = await import("../../journal/reopened-engine.ts");
    return new ReopenedEngine(open);
  }
}

/** Time in which nodes that have a copy say so where a log is about to be begun: each of them looks twice a second. */
const GUARD_MS = 2_000;

/** The copy of a node: in a folder, or in memory. */
async function openReplica(values: ConfigValues, logger: Logger): Promise<Replica> {
  const path = values["authorizer.replication.path"];
  if (path !== undefined && basename(path) === IN_MEMORY) {
    const { openMemoryStore } = await import("../../store/memory/memory-store.ts");
    return openMemoryStore({ isReplica: true });
  }
  if (path === undefined) {
    const { openPrivateReplica } = await import("../../store/local/private-replica.ts");
    return openPrivateReplica();
  }
  const { openLocalReplica } = await import("../../store/local/open-replica.ts");
  return openLocalReplica({ path, log: storeLog(logger, true) });
}

/** Value of `authorizer.replication.path` for a copy in memory. */
export const IN_MEMORY = "mem";

/** Folder of this service below `database.local.path` (spec/decision-api §1). */
const LOCAL_FOLDER = "svc-authorizer";

/** Folder of the local store. */
export function localFolder(values: ConfigValues): string {
  return join(values["database.local.path"], LOCAL_FOLDER);
}

/** The file of revocations beside the local store. */
export function revocationPath(values: ConfigValues): string {
  return values["authorizer.history.revocations"] ?? `${localFolder(values)}.revocations`;
}

/** Errors are always logged, what goes well only with `database.local.enable_logging`. */
function storeLog(logger: Logger, verbose: boolean): StoreLog {
  return {
    info: (fields, message) => {
      if (verbose) logger.info(message, fields);
    },
    error: (fields, message) => logger.error(message, fields),
  };
}
