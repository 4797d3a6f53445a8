/** A throw-away cluster of PostgreSQL, from the packages of the system: `apt-get install postgresql`. */

import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./free-port.ts";

const ROOT = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs; undefined where it is not installed. */
export function postgresBin(): string | undefined {
  if (!existsSync(ROOT)) return undefined;
  const newest = readdirSync(ROOT).sort((a, b) => Number(b) - Number(a))[0];
  const folder = join(ROOT, newest ?? "", "bin");
  return existsSync(join(folder, "initdb")) ? folder : undefined;
}

/** A running cluster. */
export interface PostgresCluster {
  /** Connection string of a new, empty database. */
  newDatabase(): Promise<string>;
  /** Stops the server at once and keeps its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** As whom the server runs: it refuses to run as root. */
function asServer(command: string, args: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ["runuser", ["-u", "postgres", "--", command, ...args]]
    : [command, [...args]];
}

/** Makes a cluster with the settings of a fresh installation. */
export async function startPostgres(): Promise<PostgresCluster> {
  const bin = postgresBin()!;
  const folder = mkdtempSync(join(tmpdir(), "pg-"));
  const data = join(folder, "data");
  if (process.getuid?.() === 0) {
    const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
    chownSync(folder, id("-u"), id("-g"));
  }
  execFileSync(
    ...asServer(join(bin, "initdb"), ["-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C"]),
    { stdio: "ignore" },
  );
  const port = await freePort();
  const start = async (): Promise<void> => {
    const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
    spawn(...asServer(join(bin, "pg_ctl"), ["-D", data, "-o", options, "-l", join(folder, "log"), "start"]), {
      stdio: "ignore",
    });
    await ready(`postgres://test@127.0.0.1:${port}/postgres`);
  };
  const stop = async (): Promise<void> => {
    execFileSync(...asServer(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"]), {
      stdio: "ignore",
    });
  };
  await start();
  let databases = 0;
  return {
    start,
    stop,
    async newDatabase() {
      const name = `test${databases++}`;
      const client = new pg.Client(`postgres://test@127.0.0.1:${port}/postgres`);
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return `postgres://test@127.0.0.1:${port}/${name}`;
    },
    async close() {
      await stop().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ready(connectionString: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (attempt > 150) throw error;
      await delay(100);
    }
  }
}
