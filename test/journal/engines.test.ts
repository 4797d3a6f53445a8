import { afterAll, beforeAll, describe } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openPostgresEngine } from "../../src/journal/engines/postgres.ts";
import { sharedBy } from "./bed.ts";
import { describeEngine } from "./engine-contract.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "./postgres-cluster.ts";

describeEngine("memory", async () => {
  const engine = new MemoryEngine();
  return { open: async () => sharedBy(engine), close: async () => {} };
});

describe.skipIf(postgresBin() === undefined)("on PostgreSQL", () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
  }, 60_000);
  afterAll(() => cluster.close());
  describeEngine("postgres", async () => {
    const connectionString = await cluster.newDatabase();
    return {
      open: () =>
        openPostgresEngine({
          connectionString,
          maxOpenConnections: 5,
          maxIdleConnections: 5,
          connectionMaxLifetimeMs: 300_000,
          statementTimeoutMs: 5_000,
          warn: () => {},
        }),
      close: async () => {},
    };
  });
});
