/** The databases of several nodes, for proofs that hold on each. */

import { startCosmosdb } from "../journal/cosmosdb-server.ts";
import { hasDynamodbLocal, startDynamodbLocal } from "../journal/dynamodb-local.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";

/** A database: the items that name it through a port of this machine. */
interface Database {
  readonly port: number;
  items(port: number): object;
  close(): Promise<void>;
}

const portOf = (endpoint: string): number => Number(new URL(endpoint).port);

/** Name of a database, whether it can run here, and its start. */
export const DATABASES: readonly (readonly [string, boolean, () => Promise<Database>])[] = [
  [
    "PostgreSQL",
    postgresBin() !== undefined,
    async () => {
      const cluster = await startPostgres();
      const url = new URL(await cluster.newDatabase());
      const items = (port: number) => {
        url.port = String(port);
        return { "database.type": "postgres", "database.postgres.connection_string": String(url) };
      };
      return { port: cluster.port, items, close: () => cluster.close() };
    },
  ],
  [
    "DynamoDB Local",
    hasDynamodbLocal(),
    async () => {
      const server = await startDynamodbLocal();
      const items = (port: number) => ({
        "database.type": "dynamodb",
        "database.dynamodb.endpoint": `http://127.0.0.1:${port}`,
        "database.dynamodb.cloud_region": "us-east-1",
        "database.dynamodb.cloud_access_key_id": "local",
        "database.dynamodb.cloud_secret_access_key": "local",
      });
      return { port: portOf(server.endpoint), items, close: () => server.close() };
    },
  ],
  [
    "Cosmos DB",
    true,
    async () => {
      const server = await startCosmosdb();
      const items = (port: number) => ({
        "database.type": "cosmosdb",
        "database.cosmosdb.endpoint": `http://127.0.0.1:${port}`,
        "database.cosmosdb.key": Buffer.from("a key of tests").toString("base64"),
        "database.cosmosdb.database": "pairs",
        "database.cosmosdb.container": "kvstore",
      });
      return { port: portOf(server.endpoint), items, close: () => server.close() };
    },
  ],
];
