/** A throw-away cluster of PostgreSQL, from the packages of the system: `apt-get install postgresql`. */

import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../free-port.ts";
import { madeOnce } from "../made-once.ts";

const ROOT = "/usr/lib/postgresql";
/** Tries to connect, a tenth of a second apart: a server that recovers on a busy machine is ready after many of them. */
const MOST_TRIES = 900;

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
  readonly port: number;
  /** For programs that run beside the server as its user. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Folder of the data; the server must not run while files are changed. */
  readonly data: string;
  /** Runs a statement as the superuser. */
  query(sql: string, database?: string): Promise<void>;
  /** Stops the server at once and keeps its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The server's processes get no time any more, as on a machine that hangs. */
  freeze(): void;
  thaw(): void;
  /** Gives a file or folder to the user of the server. */
  own(path: string): void;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** As whom the server runs: it refuses to run as root. */
function asServer(command: string, args: readonly string[]): [string, string[]] {
  return process.getuid?.() === 0
    ? ["runuser", ["-u", "postgres", "--", command, ...args]]
    : [command, [...args]];
}

/** For programs that run as the server does; empty where that is the user of the tests. */
function userOfServer(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** The data of a cluster that nobody has written to: a copy takes a sixth of the processor time of `initdb`. */
function newCluster(bin: string, own: (path: string) => void): string {
  return madeOnce("cluster", (folder) => {
    mkdirSync(folder);
    own(folder);
    execFileSync(
      ...asServer(join(bin, "initdb"), [
        "-D",
        folder,
        "-U",
        "test",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--locale=C",
        "--no-sync",
      ]),
      { stdio: "ignore" },
    );
  });
}

/** Makes a cluster with the settings of a fresh installation. */
export async function startPostgres(): Promise<PostgresCluster> {
  const bin = postgresBin()!;
  const folder = mkdtempSync(join(tmpdir(), "pg-"));
  const data = join(folder, "data");
  const user = userOfServer();
  const own = (path: string): void => {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  };
  own(folder);
  execFileSync(...asServer("cp", ["-R", join(newCluster(bin, own), "."), data]), { stdio: "ignore" });
  const port = await freePort();
  const query = async (sql: string, database = "postgres"): Promise<void> => {
    const client = new pg.Client(`postgres://test@127.0.0.1:${port}/${database}`);
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const signal = (name: NodeJS.Signals): void => {
    const postmaster = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]!;
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", postmaster], { encoding: "utf8" });
    for (const pid of [postmaster, ...children.trim().split(/\s+/)]) process.kill(Number(pid), name);
  };
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
    port,
    user,
    data,
    query,
    own,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async newDatabase() {
      const name = `test${databases++}`;
      await query(`CREATE DATABASE ${name}`);
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
      if (attempt > MOST_TRIES) throw error;
      await delay(100);
    }
  }
}
