import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, writeConfig } from "../end-to-end/program.ts";
import { canLimitMemory, type MemoryGroup, makeMemoryGroup } from "./memory-group.ts";
import { report, sized } from "./size.ts";

const LAUNCHER = fileURLToPath(new URL("../../bin/svc-authorizer.cjs", import.meta.url));
/** The limit of docker-compose.yml, of the Helm chart and of the manifests with a store of their own. */
const LIMIT = 512 * 2 ** 20;
const USERS = sized(10_000, 100_000);
const TOKEN = "a-token-of-the-tests-long-enough-for-one";
let group: MemoryGroup | undefined;
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "close");
    }
  }
  group?.remove();
  cleanUp();
});

describe.skipIf(!canLimitMemory())("proof: the memory of a container", () => {
  it(
    `a service with ${USERS} users loads, serves, reloads and exports below 512 MiB`,
    async () => {
      group = makeMemoryGroup(LIMIT);
      const folder = newFolder();
      const file = join(folder, "users.json");
      writeUsers(file, USERS);
      const config = writeConfig(folder, {
        listen_address: "127.0.0.1:0",
        database: { type: "local", local: { path: join(folder, "store"), sync_writes: false } },
        auth: { api: { token: TOKEN }, encrypt: { secret_key: "a secret key of the tests, long enough" } },
        authorizer: { listen_address: "127.0.0.1:0", metrics_address: "127.0.0.1:0", datasets: [file] },
      });
      const service = launch("run", "--config", config);
      const url = await readyUrl(service);
      expect(await isKnown(url, `user-${USERS - 1}`)).toBe(true);
      writeUsers(file, USERS + 1);
      service.kill("SIGHUP");
      while (!(await isKnown(url, `user-${USERS}`))) await delay(100);

      const exported = join(folder, "exported.json");
      const written = launch("export", "--config", config, "--format", "json", "--output", exported);
      written.stdout?.resume();
      expect(await once(written, "close")).toEqual([0, null]);
      expect(statSync(exported).size).toBeGreaterThan(USERS * 20);
      expect(await isKnown(url, `user-${USERS}`)).toBe(true);
      const status = readFileSync(`/proc/${service.pid}/status`, "utf8");
      report(
        `a service with ${USERS} users in 512 MiB: RssAnon ${megabytes(status, "RssAnon")} MiB at the end`,
      );
      expect(group?.killed()).toBe(0);
      service.kill("SIGTERM");
      expect(await once(service, "close")).toEqual([0, null]);
    },
    sized(240_000, 900_000),
  );
});

function writeUsers(file: string, count: number): void {
  const users = Array.from({ length: count }, (_, index) => ({
    username: `user-${index}`,
    groups: ["Everyone"],
  }));
  writeFileSync(file, JSON.stringify({ format: 1, groups: [{ name: "Everyone" }], users }));
}

/** Starts a command inside of the group. */
function launch(...args: readonly string[]): ChildProcess {
  const [command, ...rest] = group!.command(process.execPath, [LAUNCHER, ...args]);
  const child = spawn(command, rest, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}

async function readyUrl(service: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: service.stdout! })) {
    const found = /^ready service=(\S+)/.exec(line);
    if (found === null) continue;
    service.stdout?.resume();
    return found[1]!;
  }
  throw new Error("the service ended before it was ready");
}

async function isKnown(url: string, username: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const { status } = await fetch(`${url}/api/v1/auth/users/${username}`, { headers });
  expect([200, 404]).toContain(status);
  return status === 200;
}

function megabytes(status: string, field: string): number {
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024);
}
