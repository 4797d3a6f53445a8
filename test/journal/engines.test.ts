import dynalite from "dynalite";
import { afterAll, beforeAll, describe } from "vitest";
import { openCosmosdbEngine } from "../../src/journal/engines/cosmosdb.ts";
import { openDynamodbEngine } from "../../src/journal/engines/dynamodb.ts";
import type { DynamodbOptions } from "../../src/journal/engines/dynamodb-table.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openPostgresEngine } from "../../src/journal/engines/postgres.ts";
import { openedOnce } from "../opened.ts";
import { sharedBy } from "./bed.ts";
import { cosmosdbOptions, startCosmosdb } from "./cosmosdb-server.ts";
import { type DynamodbLocal, hasDynamodbLocal, startDynamodbLocal } from "./dynamodb-local.ts";
import { describeEngine, type EngineBed } from "./engine-contract.ts";
import { describeLostAnswers, type ReachedBed } from "./lost-answers.ts";
import { postgresBin, startPostgres } from "./postgres-cluster.ts";

describeEngine("memory", async () => {
  const engine = new MemoryEngine();
  return { open: async () => sharedBy(engine), close: async () => {} };
});

describe("on cosmosdb-server", () => {
  const server = openedOnce(() => startCosmosdb());
  let databases = 0;
  describeEngine("cosmosdb", async () => {
    const options = cosmosdbOptions(server, `database${databases++}`);
    return { open: () => openCosmosdbEngine(options), close: async () => {} };
  });
  describeLostAnswers("cosmosdb", async () => {
    const database = `database${databases++}`;
    return {
      port: portOf(server.endpoint),
      create: '"id":"0000',
      open: (port) => openCosmosdbEngine(cosmosdbOptions({ endpoint: `http://127.0.0.1:${port}` }, database)),
    };
  });
});

describe("on dynalite", () => {
  let server: ReturnType<typeof dynalite>;
  let endpoint: string;
  let tables = 0;
  beforeAll(async () => {
    server = dynalite({ createTableMs: 0 });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  describeEngine("dynamodb", async () => bedOnDynamodb(endpoint, `table${tables++}`));
  describeLostAnswers("dynamodb", async () => reachedDynamodb(endpoint, `table${tables++}`));
});

describe.skipIf(!hasDynamodbLocal())("on DynamoDB Local", () => {
  let server: DynamodbLocal;
  let tables = 0;
  beforeAll(async () => {
    server = await startDynamodbLocal();
  });
  afterAll(() => server?.close());
  describeEngine("dynamodb", async () => bedOnDynamodb(server.endpoint, `table${tables++}`));
  describeLostAnswers("dynamodb", async () => reachedDynamodb(server.endpoint, `table${tables++}`));
});

function dynamodbOptions(endpoint: string, tableName: string): DynamodbOptions {
  return {
    tableName,
    scanLimit: 2,
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "key", secretAccessKey: "secret" },
    maxAttempts: 3,
    maxConnections: 10,
    requestTimeoutMs: 5_000,
    healthCheckMs: 0,
    warn: () => {},
  };
}

function bedOnDynamodb(endpoint: string, tableName: string): EngineBed {
  const options = dynamodbOptions(endpoint, tableName);
  return { open: () => openDynamodbEngine(options), close: async () => {} };
}

function reachedDynamodb(endpoint: string, tableName: string): ReachedBed {
  return {
    port: portOf(endpoint),
    create: "PutItem",
    open: (port) => openDynamodbEngine(dynamodbOptions(`http://127.0.0.1:${port}`, tableName)),
  };
}

function portOf(endpoint: string): number {
  return Number(new URL(endpoint).port);
}

describe.skipIf(postgresBin() === undefined)("on PostgreSQL", () => {
  const cluster = openedOnce(() => startPostgres());
  const open = (connectionString: string) =>
    openPostgresEngine({
      connectionString,
      maxOpenConnections: 5,
      maxIdleConnections: 5,
      connectionMaxLifetimeMs: 300_000,
      statementTimeoutMs: 5_000,
      warn: () => {},
    });
  describeEngine("postgres", async () => {
    const connectionString = await cluster.newDatabase();
    return { open: () => open(connectionString), close: async () => {} };
  });
  describeLostAnswers("postgres", async () => {
    const connectionString = await cluster.newDatabase();
    return {
      port: cluster.port,
      create: "INSERT INTO svc_authorizer_entry",
      open: (port) => open(connectionString.replace(`:${cluster.port}/`, `:${port}/`)),
    };
  });
});
