/** Workers of nodes that share a DynamoDB or a Cosmos DB (spec/journal §7), as real processes. */

import dynalite from "dynalite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { startCosmosdb } from "../journal/cosmosdb-server.ts";
import { hasDynamodbLocal, startDynamodbLocal } from "../journal/dynamodb-local.ts";
import { listening } from "../journal/http-proxy.ts";
import { ask, askBoth, decision, isWorker, TOKEN, workerPids } from "./worker-requests.ts";

const READ = { name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] };

interface Database {
  /** Items of the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

function dynamodbAt(endpoint: string): Readonly<Record<string, unknown>> {
  return {
    "database.type": "dynamodb",
    "database.dynamodb.endpoint": endpoint,
    "database.dynamodb.cloud_region": "us-east-1",
    "database.dynamodb.cloud_access_key_id": "key",
    "database.dynamodb.cloud_secret_access_key": "secret",
  };
}

async function onDynalite(): Promise<Database> {
  const server = dynalite({ createTableMs: 0 });
  const port = await listening(server);
  return {
    settings: dynamodbAt(`http://127.0.0.1:${port}`),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function onDynamodbLocal(): Promise<Database> {
  const { endpoint, close } = await startDynamodbLocal();
  return { settings: dynamodbAt(endpoint), close };
}

async function onCosmosdb(): Promise<Database> {
  const { endpoint, close } = await startCosmosdb();
  const settings = {
    "database.type": "cosmosdb",
    "database.cosmosdb.endpoint": endpoint,
    "database.cosmosdb.key": Buffer.from("a key of tests").toString("base64"),
    "database.cosmosdb.database": "workers",
    "database.cosmosdb.container": "kvstore",
  };
  return { settings, close };
}

describe.for([
  { name: "dynalite", open: onDynalite, isHere: true },
  { name: "DynamoDB Local", open: onDynamodbLocal, isHere: hasDynamodbLocal() },
  { name: "cosmosdb-server", open: onCosmosdb, isHere: true },
])("workers over $name", ({ open, isHere }) => {
  let database: Database;
  let folder: string;
  let nodes = 0;
  beforeEach(async () => {
    if (isHere) database = await open();
    folder = newFolder();
  });
  afterEach(async () => {
    await cleanUp();
    if (isHere) await database.close();
  });

  const api = (node: RunningProgram, method: string, path: string, body?: unknown) =>
    ask(node.service, method, `/api/v1${path}`, body);
  const startNode = (): Promise<RunningProgram> => {
    const settings = {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "authorizer.workers": 2,
      "authorizer.shutdown_delay": "0s",
      "authorizer.audit.output": `${folder}/audit-${nodes}.log`,
      "authorizer.decision_log.directory": `${folder}/decisions-${nodes}`,
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": TOKEN,
      ...database.settings,
    };
    return start(["--config", writeConfig(folder, settings, `node-${nodes++}.yaml`)], folder);
  };

  it.skipIf(!isHere)(
    "decide alike after each write, on their node at once; one that dies is replaced",
    async () => {
      const one = await startNode();
      const other = await startNode();
      expect((await api(one, "POST", "/auth/policies", READ)).status).toBe(201);
      expect((await api(one, "POST", "/auth/users", { username: "alice" })).status).toBe(201);
      const attach = async (round: number): Promise<void> => {
        const grants = round % 2 === 0;
        const wanted = `"decision":${grants}`;
        const method = grants ? "PUT" : "DELETE";
        expect((await api(one, method, "/auth/users/alice/policies/Read")).status).toBeLessThan(300);
        for (const { body } of await askBoth(4, decision(one.service, "alice")))
          expect(body).toContain(wanted);
        const seen = async () =>
          (await askBoth(2, decision(other.service, "alice"))).map(({ body }) => body.includes(wanted));
        await expect.poll(async () => (await seen()).every(Boolean)).toBe(true);
      };
      for (let round = 0; round < 6; round++) await attach(round);
      // What the workers of two nodes claim at once, one of them gets.
      const claims = Array.from({ length: 8 }, (_, index) =>
        api(index % 2 === 0 ? one : other, "POST", "/auth/users", { username: "bob" }),
      );
      const statuses = (await Promise.all(claims)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
      const [victim] = workerPids(one);
      process.kill(victim!, "SIGKILL");
      const answering = async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, decision(one.service, "alice")));
        return new Set(answers.map(({ worker }) => worker)).size;
      };
      await expect.poll(() => isWorker(victim!)).toBe(false);
      await expect.poll(answering).toBe(2);
      for (let round = 6; round < 8; round++) await attach(round);
    },
  );
});
