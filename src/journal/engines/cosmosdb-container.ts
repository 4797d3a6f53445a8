/**
 * The way to the container of the engine on Cosmos DB (spec/journal §8): the client, what the account must promise
 * (spec/journal §3), and the container, made where it is missing.
 */

import { type Container, CosmosClient, type CosmosClientOptions } from "@azure/cosmos";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** The way to the database (`database.cosmosdb.*`). */
export interface CosmosdbOptions {
  readonly endpoint: string;
  /** Account key; undefined uses the login of the environment (managed identity, workload identity, `az login`). */
  readonly key: string | undefined;
  readonly database: string;
  /** The container is `<container>-authorizer`: a data server with the same configuration has its own. */
  readonly container: string;
  /** Request units a second of a container that is made; undefined leaves them to the database. */
  readonly throughput: number | undefined;
  /** True: `throughput` is the most that the container scales up to. */
  readonly autoscale: boolean;
  /** Most milliseconds that a request may take, waits for request units included. */
  readonly requestTimeoutMs: number;
  readonly warn: (message: string) => void;
}

/** An open container and what closes it. */
export interface OpenContainer {
  readonly container: Container;
  /** True where a read sees what the same client wrote before, and of what others wrote maybe less. */
  readonly isSession: boolean;
  close(): void;
}

/** An emulator listens here: it names addresses of its own as those of its regions. */
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/;
/** Attempts to make what other nodes make at the same time: the database, the container, and one to find both. */
const MOST_MADE_AT_ONCE = 3;
/** More attempts than fit into the wait: the wait is the limit. */
const MOST_ATTEMPTS = 1_000;

/**
 * Connects, checks the account and makes the container where it is missing.
 * @throws AuthorizerError "unavailable" or "invalid_request" that says what to do
 */
export async function openCosmosdbContainer(options: CosmosdbOptions): Promise<OpenContainer> {
  const client = await connect(options);
  try {
    const isSession = await assertOneWriter(client, options.warn);
    return { container: await prepare(client, options), isSession, close: () => client.dispose() };
  } catch (error) {
    client.dispose();
    if (error instanceof AuthorizerError) throw error;
    const message = `The Cosmos DB container ${nameOf(options)} cannot be used: ${cosmosdbReason(error)}.`;
    throw new AuthorizerError("unavailable", message, { cause: error });
  }
}

async function connect(options: CosmosdbOptions): Promise<CosmosClient> {
  const { endpoint, key, requestTimeoutMs } = options;
  const settings: CosmosClientOptions = {
    endpoint,
    userAgentSuffix: "svc-authorizer",
    connectionPolicy: {
      requestTimeout: requestTimeoutMs,
      enableEndpointDiscovery: !LOOPBACK.test(endpoint),
      // Every read goes where writes go: without preferred locations the client asks the first region of the account.
      useMultipleWriteLocations: false,
      enablePartitionLevelFailover: false,
      retryOptions: {
        maxRetryAttemptCount: MOST_ATTEMPTS,
        maxWaitTimeInSeconds: Math.max(1, requestTimeoutMs / 1_000),
      },
    },
  };
  try {
    if (key !== undefined) return new CosmosClient({ ...settings, key });
    const { DefaultAzureCredential } = await import("@azure/identity");
    return new CosmosClient({ ...settings, aadCredentials: new DefaultAzureCredential() });
  } catch (error) {
    const message = `database.cosmosdb.endpoint is not usable: ${(error as Error).message}`;
    throw new AuthorizerError("invalid_request", message, { cause: error });
  }
}

/**
 * Refuses an account where two nodes could both create an entry, or where reads may lag without a bound. True where the
 * account promises no more than that a session reads what it wrote.
 */
async function assertOneWriter(client: CosmosClient, warn: (message: string) => void): Promise<boolean> {
  const { resource } = await client.getDatabaseAccount();
  if (resource?.enableMultipleWritableLocations === true) {
    throw refused(
      "it is written in several regions, of which two could both create the same entry: turn multi-region writes off",
    );
  }
  // The client declares a text; the service answers with an object that has it.
  const policy: unknown = resource?.consistencyPolicy;
  const level = typeof policy === "string" ? policy : Reflect.get(Object(policy), "defaultConsistencyLevel");
  if (level === "Strong" || level === "BoundedStaleness") return false;
  if (level === "Session") {
    warn(
      "the Cosmos DB account has the consistency level Session: no change is lost, but that one is in force on every node within a second is usual, not promised; Strong or BoundedStaleness promises it",
    );
    return true;
  }
  throw refused(
    `its consistency level is ${String(level)}, with which a change may stay unseen for any time: set Strong, BoundedStaleness or Session`,
  );
}

/** The container; made where it is missing. Of several nodes that make it at once, the others find it then. */
async function prepare(client: CosmosClient, options: CosmosdbOptions): Promise<Container> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await foundOrMade(client, options);
    } catch (error) {
      // Database and container may each have been made meanwhile.
      if (!isStatus(error, 409) || attempt === MOST_MADE_AT_ONCE) throw error;
    }
  }
}

async function foundOrMade(client: CosmosClient, options: CosmosdbOptions): Promise<Container> {
  const { database, throughput, autoscale } = options;
  const id = `${options.container}-authorizer`;
  const existing = client.database(database).container(id);
  try {
    const { resource } = await existing.read();
    assertKey(resource?.partitionKey?.paths, options);
    return existing;
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
  try {
    await client.databases.createIfNotExists({ id: database });
    await client.database(database).containers.createIfNotExists({
      id,
      partitionKey: { paths: ["/pk"] },
      // Only what is searched is indexed: an index over the items themselves would cost most of the request units.
      indexingPolicy: { includedPaths: [{ path: "/*" }], excludedPaths: [{ path: "/item/?" }] },
      ...(throughput !== undefined && (autoscale ? { maxThroughput: throughput } : { throughput })),
    });
  } catch (error) {
    if (!isStatus(error, 403)) throw error;
    throw refused(
      `the login may not make it; have it made: az cosmosdb sql container create --account-name … --resource-group … --database-name ${database} --name ${id} --partition-key-path /pk`,
    );
  }
  return existing;
}

function assertKey(paths: readonly string[] | undefined, options: CosmosdbOptions): void {
  if (paths?.length === 1 && paths[0] === "/pk") return;
  throw refused(
    `${nameOf(options)} has the partition key ${paths?.join(", ")} and not /pk: name another container`,
  );
}

function nameOf({ database, container }: CosmosdbOptions): string {
  return `${database}/${container}-authorizer`;
}

function refused(reason: string): AuthorizerError {
  return new AuthorizerError("invalid_request", `The Cosmos DB account is not used: ${reason}.`);
}

/** Says what went wrong and what to do; never with a key. */
export function cosmosdbReason(error: unknown): string {
  const {
    code,
    name = "",
    message = "",
  } = error as { code?: number | string; name?: string; message?: string };
  switch (code) {
    case 401:
      return "the key is not accepted; check database.cosmosdb.key";
    case 403:
      return "the login lacks rights, or a firewall keeps this address out; it needs the role Cosmos DB Built-in Data Contributor";
    case 404:
      return "the container is gone: put back a backup. A node that starts makes an empty one, and the others keep their copies";
    case 413:
      return "an item is larger than Cosmos DB takes";
    case 429:
      return "the request units do not suffice; raise the throughput of the container";
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "ETIMEDOUT":
      return `nothing answers at database.cosmosdb.endpoint (${code})`;
    default:
      break;
  }
  if (/certificate|SSL|TLS/i.test(`${code} ${message}`)) {
    return `the certificate of database.cosmosdb.endpoint is not accepted (${code ?? name}); name its authority in NODE_EXTRA_CA_CERTS`;
  }
  if (name === "AggregateAuthenticationError" || name === "CredentialUnavailableError") {
    return "no login was found in the environment; set database.cosmosdb.key, or give the process a managed identity";
  }
  return `${code ?? name} ${message.split("\n")[0]?.slice(0, 200)}`.trim();
}

/** True for an answer of the database with this status. */
export function isStatus(error: unknown, status: number): boolean {
  return (error as { code?: unknown } | null)?.code === status;
}
