/** A node as benchmarks of fleets run it, the directory that it loads, and the calls that write to it. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import type { LoadResult } from "./load.ts";
import { runLoad, type StartedServer, startServer } from "./processes.ts";

const SECRET_KEY = randomBytes(32).toString("base64url");

/** Settings of {@link startBenchNode}. */
interface BenchNodeSettings {
  /** Over a local folder where it is absent. */
  readonly database?: string;
  readonly dataset?: string;
  /** Items below `authorizer.replication`. */
  readonly replication?: object;
  /** The launcher; default that of this clone. */
  readonly launcher?: string;
}

/** Starts a node. */
export function startBenchNode(settings: BenchNodeSettings): Promise<StartedServer> {
  const { launcher = program } = settings;
  return startServer([launcher, "run", "--config", benchNodeConfig(settings)], folder);
}

/** Writes the configuration of a node, which its commands need as well, and returns the path. */
export function benchNodeConfig(settings: Omit<BenchNodeSettings, "launcher">): string {
  const { database, dataset, replication } = settings;
  const name = `node-${randomBytes(4).toString("hex")}`;
  const config = {
    listen_address: "127.0.0.1:0",
    database:
      database === undefined
        ? { type: "local", local: { path: join(folder, `${name}-store`) } }
        : { type: "postgres", postgres: { connection_string: database } },
    logging: { level: "WARN", audit_log_level: "NONE" },
    auth: { api: { token }, encrypt: { secret_key: SECRET_KEY } },
    authorizer: {
      listen_address: "127.0.0.1:0",
      metrics_address: "127.0.0.1:0",
      ...(dataset !== undefined && { datasets: [dataset] }),
      ...(replication !== undefined && { replication }),
    },
  };
  return write(`${name}.yaml`, JSON.stringify(config));
}

/** Name of a user of {@link usersInGroups}. */
export const userName = (index: number): string => `user-${String(index).padStart(7, "0")}`;

/**
 * A file with users in groups of a hundred, and the policies `Reader` and `Beside`.
 * @param written how many of the users are in it
 */
export function usersInGroups(users: number, written = users): string {
  const groups = Math.ceil(users / 100);
  const policy = (name: string, resource: string) => ({
    name,
    statement: [{ effect: "allow", action: ["fs:Read*"], resource }],
  });
  return write(
    `directory-${users}-${written}.json`,
    JSON.stringify({
      format: 1,
      policies: [policy("Reader", "*"), policy("Beside", "arn:svc:fs:::repository/other/*")],
      groups: Array.from({ length: groups }, (_, index) => ({
        name: `group-${index}`,
        policies: ["Reader"],
      })),
      users: Array.from({ length: written }, (_, index) => ({
        username: userName(index),
        groups: [`group-${index % groups}`],
      })),
    }),
  );
}

/** The calls of a load on one node: method and path below `/api/v1/auth`. */
export interface WriteLoad {
  readonly calls: readonly (readonly [method: "PUT" | "DELETE", path: string])[];
  readonly connections: number;
  readonly seconds: number;
}

/** Sends calls without a body to a node, in turn, again and again. */
export function writeTo(
  node: StartedServer,
  { calls, connections, seconds }: WriteLoad,
): Promise<LoadResult> {
  const url = serviceUrl(node);
  const head = `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`;
  const requests = calls.map(([method, path]) => `${method} /api/v1/auth${path} HTTP/1.1\r\n${head}`);
  const file = write(`calls-${randomBytes(4).toString("hex")}.json`, JSON.stringify(requests));
  return runLoad({ url, path: "", token: "", bodies: "", requests: file, connections, seconds, expect: "" });
}
