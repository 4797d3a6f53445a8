/**
 * Two processes on one database, in pairs of calls: one node makes something, and the other takes it away at once. Whatever
 * was taken away with 204 is gone (journal.md §2.8).
 */

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { startCosmosdb } from "../journal/cosmosdb-server.ts";
import { hasDynamodbLocal, startDynamodbLocal } from "../journal/dynamodb-local.ts";
import { type LossyProxy, startLossyProxy } from "../journal/lossy-proxy.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { quantile, report, sized } from "./size.ts";

const TOKEN = "a-token-that-only-this-proof-knows-0123456789";
const KEY = "a-secret-key-that-only-this-proof-knows-0123456789";
const PAIRS = sized(10, 1_000);
const OTHERS = sized(3, 100);

/** A database: the items that name it through a port of this machine. */
interface Database {
  readonly port: number;
  items(port: number): object;
  close(): Promise<void>;
}

const portOf = (endpoint: string): number => Number(new URL(endpoint).port);

const ENGINES: readonly (readonly [string, boolean, () => Promise<Database>])[] = [
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

function startNode(items: object): Promise<RunningProgram> {
  const folder = newFolder();
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": KEY,
    "auth.api.token": TOKEN,
    "logging.level": "ERROR",
    "logging.audit_log_level": "NONE",
    "authorizer.replication.commit_timeout": "3s",
    ...items,
  });
  return start(["--config", config], folder);
}

async function call({ service }: RunningProgram, method: string, path: string, body?: unknown) {
  const answer = await fetch(service + path, {
    method,
    headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, revision: answer.headers.get("x-svc-revision") ?? "" };
}

type Ask = (
  node: RunningProgram,
  round: number,
) => Promise<{ readonly status: number; readonly text: string }>;

/** A thing that one node makes and another takes away. */
interface Pair {
  readonly name: string;
  readonly make: Ask;
  readonly take: Ask;
}

const AUTH = "/api/v1/auth";
const STATEMENT = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }];

/** Makes by PUT, or by POST with a body; takes by DELETE. */
function restPair(
  name: string,
  path: string,
  post?: { readonly at: string; readonly body: (round: number) => object },
): Pair {
  return {
    name,
    make: (node, round) =>
      post === undefined
        ? call(node, "PUT", AUTH + path)
        : call(node, "POST", AUTH + post.at, post.body(round)),
    take: (node, round) => call(node, "DELETE", AUTH + path.replace("{round}", String(round))),
  };
}

function scimPatch(op: "add" | "remove", user: string) {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [
      op === "add"
        ? { op, path: "members", value: [{ value: user }] }
        : { op, path: `members[value eq "${user}"]` },
    ],
  };
}

function pairs(scimUser: string, scimGroup: string): readonly Pair[] {
  const principal = "/users/u/external/principals?principalId=arn%3Aaws%3Asts%3A%3A1%3Aassumed-role%2Fr";
  return [
    restPair("policy of a user", "/users/u/policies/P"),
    restPair("member", "/groups/g/members/u"),
    restPair("policy of a group", "/groups/g/policies/P"),
    restPair("user", "/users/made", { at: "/users", body: () => ({ username: "made" }) }),
    restPair("group", "/groups/made", { at: "/groups", body: () => ({ id: "made" }) }),
    restPair("policy", "/policies/made", {
      at: "/policies",
      body: () => ({ name: "made", statement: STATEMENT }),
    }),
    {
      name: "access key",
      make: (node) =>
        call(
          node,
          "POST",
          `${AUTH}/users/u/credentials?access_key=AKIAJPAIRPAIRPAIRPQ&secret_key=${"s".repeat(40)}`,
        ),
      take: (node) => call(node, "DELETE", `${AUTH}/users/u/credentials/AKIAJPAIRPAIRPAIRPQ`),
    },
    {
      name: "external principal",
      make: (node) => call(node, "POST", AUTH + principal),
      take: (node) => call(node, "DELETE", AUTH + principal),
    },
    {
      name: "member by SCIM",
      make: (node) => call(node, "PATCH", `/scim/v2/Groups/${scimGroup}`, scimPatch("add", scimUser)),
      take: (node) => call(node, "PATCH", `/scim/v2/Groups/${scimGroup}`, scimPatch("remove", scimUser)),
    },
  ];
}

describe.each(ENGINES)("proof: pairs on %s", (engine, isThere, open) => {
  let close: () => Promise<void> = async () => {};
  afterEach(async () => {
    cleanUp();
    await close();
  });

  it.skipIf(!isThere)(
    "what a node took away with 204 is gone, whichever node made it; a node that is cut off or was asleep says nothing untrue",
    async () => {
      const database = await open();
      close = () => database.close();
      const proxy: LossyProxy = await startLossyProxy(database.port);
      const one = await startNode(database.items(database.port));
      const other = await startNode(database.items(proxy.port));
      await call(one, "POST", `${AUTH}/users`, { username: "u" });
      await call(one, "POST", `${AUTH}/groups`, { id: "g" });
      await call(one, "POST", `${AUTH}/policies`, { name: "P", statement: STATEMENT });
      const idOf = async (kind: string, body: object): Promise<string> =>
        (JSON.parse((await call(one, "POST", `/scim/v2/${kind}`, body)).text) as { id: string }).id;
      const scimUser = await idOf("Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: "s",
      });
      const scimGroup = await idOf("Groups", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
        displayName: "sg",
      });

      const kinds = pairs(scimUser, scimGroup);
      const wrong: string[] = [];
      for (const { name, make, take } of kinds) {
        const count = name === "policy of a user" ? PAIRS : OTHERS;
        let lost = 0;
        for (let round = 0; round < count; round++) {
          const [first, second] = round % 2 === 0 ? [one, other] : [other, one];
          const made = await make(first, round);
          const taken = await take(second, round);
          // The next round would find it already there, or could not take it away.
          const isRight = made.status < 300 && taken.status < 300;
          if (!isRight)
            wrong.push(`${name} ${round}: ${made.status} ${made.text} ${taken.status} ${taken.text}`);
          if (!isRight) lost += 1;
        }
        report(`${engine}, ${name}: ${lost} of ${count} pairs are wrong`);
      }
      expect(wrong).toEqual([]);
      // Whatever was taken away last is not there on either node.
      const revision = (await call(one, "PUT", `${AUTH}/groups/g/members/u`)).revision;
      for (const node of [one, other]) {
        const seen = await fetch(`${node.service}${AUTH}/users/u/policies`, {
          headers: { Authorization: `Bearer ${TOKEN}`, "X-Svc-Min-Revision": revision },
        });
        expect(((await seen.json()) as { results: unknown[] }).results).toEqual([]);
      }

      const nothing: number[] = [];
      for (let round = 0; round < sized(20, 300); round++) {
        const began = performance.now();
        await call(other, "PUT", `${AUTH}/groups/g/members/u`);
        nothing.push(performance.now() - began);
      }
      report(
        `${engine}, nothing to do: median ${quantile(nothing, 0.5).toFixed(1)} ms, p99 ${quantile(nothing, 0.99).toFixed(1)} ms`,
      );

      // A node that slept through a change and is asked at once.
      for (let round = 0; round < sized(2, 20); round++) {
        other.child.kill("SIGSTOP");
        await call(one, "PUT", `${AUTH}/users/u/policies/P`);
        await delay(sized(300, 1_000));
        const taken = call(other, "DELETE", `${AUTH}/users/u/policies/P`);
        other.child.kill("SIGCONT");
        // It may find that its connections broke; then it says so, and the caller asks again.
        let { status } = await taken;
        while (status === 503) {
          await delay(100);
          ({ status } = await call(other, "DELETE", `${AUTH}/users/u/policies/P`));
        }
        expect(status).toBe(204);
        expect((await call(one, "PUT", `${AUTH}/users/u/policies/P`)).status).toBe(201);
        expect((await call(one, "DELETE", `${AUTH}/users/u/policies/P`)).status).toBe(204);
      }

      // Cut off: 503 from the first call on, also where nothing would change.
      await proxy.close();
      await call(one, "PUT", `${AUTH}/users/u/policies/P`);
      for (const { name, make, take } of [...kinds, ...kinds]) {
        const statuses = [(await take(other, 0)).status, (await make(other, 0)).status];
        expect(statuses, name).toEqual([503, 503]);
      }
    },
    sized(180_000, 1_800_000),
  );
});
