/** A lakeFS that runs, as a process of its own in a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../free-port.ts";
import { cpuSecondsOf } from "../cpu-seconds.ts";
import type { GivenDataServer } from "./given-data-server.ts";

/** The first user's key, of this process alone. */
export const KEY = "AKIAIOSFDNN7EXAMPLEQ";
export const SECRET = "a-secret-for-a-server-that-lives-for-one-test";

/** The store of the contents. */
type Storage = { readonly kind: "local" } | { readonly kind: "s3"; readonly endpoint: string };

/** The server. */
export class RunningDataServer {
  readonly url: string;
  readonly folder: string;
  readonly #launch: () => ChildProcess;
  #child: ChildProcess;

  private constructor(url: string, folder: string, launch: () => ChildProcess) {
    this.url = url;
    this.folder = folder;
    this.#launch = launch;
    this.#child = launch();
  }

  /**
   * @param setUp false leaves the first user to whoever calls it first
   * @param more further settings, as variables
   * @param port its port, where others have to know it before it runs
   */
  static async start(
    { server }: GivenDataServer,
    storage: Storage = { kind: "local" },
    setUp = true,
    more: Readonly<Record<string, string>> = {},
    port?: number,
  ): Promise<RunningDataServer> {
    const folder = mkdtempSync(join(tmpdir(), "data-server-"));
    const own = port ?? (await freePort());
    const env = { PATH: process.env["PATH"], HOME: folder, ...settings(folder, own, storage), ...more };
    if (setUp) {
      const user = ["--user-name", "admin", "--access-key-id", KEY, "--secret-access-key", SECRET];
      // Its users may be kept by a service in this process, which has to answer meanwhile.
      await once(spawn(server, ["setup", ...user], { env, cwd: folder, stdio: "ignore" }), "exit");
    }
    const log = openSync(join(folder, "log"), "a");
    const launch = (): ChildProcess =>
      spawn(server, ["run"], { env, cwd: folder, stdio: ["ignore", log, log] });
    const started = new RunningDataServer(`http://localhost:${own}`, folder, launch);
    await started.#ready();
    return started;
  }

  async #ready(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const answer = await fetch(`${this.url}/_health`).catch(() => undefined);
      if (answer?.ok) return;
      if (tries > 1_800 || this.#child.exitCode !== null)
        throw new Error(`the data server does not start: ${this.folder}/log`);
      await delay(100);
    }
  }

  /** Kills it as a power loss of its machine would, and starts it again over what it has written. */
  async killAndRestart(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
    this.#child = this.#launch();
    await this.#ready();
  }

  /** CPU time so far, in seconds; on Linux, as the tool that measures the others. */
  get cpuSeconds(): number {
    return cpuSecondsOf(this.#child);
  }

  async close(): Promise<void> {
    this.#child.kill();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Variables of a tool that calls the server; both tools have the same ones but for the prefix. */
export function clientVariables(prefix: "SVCCTL" | "LAKECTL", url: string): Record<string, string> {
  return {
    [`${prefix}_SERVER_ENDPOINT_URL`]: url,
    [`${prefix}_CREDENTIALS_ACCESS_KEY_ID`]: KEY,
    [`${prefix}_CREDENTIALS_SECRET_ACCESS_KEY`]: SECRET,
    LAKECTL_SKIP_ENTERPRISE_CHECK: "true",
  };
}

function settings(folder: string, port: number, storage: Storage): Record<string, string> {
  mkdirSync(join(folder, "data"));
  const local = { LAKEFS_BLOCKSTORE_LOCAL_PATH: join(folder, "data") };
  const s3 = storage.kind === "s3" && {
    LAKEFS_BLOCKSTORE_S3_ENDPOINT: storage.endpoint,
    LAKEFS_BLOCKSTORE_S3_FORCE_PATH_STYLE: "true",
    LAKEFS_BLOCKSTORE_S3_DISCOVER_BUCKET_REGION: "false",
    LAKEFS_BLOCKSTORE_S3_REGION: "us-east-1",
    LAKEFS_BLOCKSTORE_S3_CREDENTIALS_ACCESS_KEY_ID: KEY,
    LAKEFS_BLOCKSTORE_S3_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
  };
  return {
    LAKEFS_DATABASE_TYPE: "local",
    LAKEFS_DATABASE_LOCAL_PATH: join(folder, "kv"),
    LAKEFS_BLOCKSTORE_TYPE: storage.kind,
    LAKEFS_AUTH_ENCRYPT_SECRET_KEY: "a-key-of-one-test",
    LAKEFS_LISTEN_ADDRESS: `127.0.0.1:${port}`,
    LAKEFS_LOGGING_LEVEL: "ERROR",
    LAKEFS_STATS_ENABLED: "false",
    LAKEFS_USAGE_REPORT_ENABLED: "true",
    LAKEFS_USAGE_REPORT_FLUSH_INTERVAL: "1s",
    ...(s3 || local),
  };
}
