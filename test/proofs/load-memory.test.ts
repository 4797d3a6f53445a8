import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, writeConfig } from "../end-to-end/program.ts";
import { report, sized } from "./size.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const USERS = sized(25_000, 1_000_000);
/** Kept as a whole, 100,000 users take 690 MiB, and 1,000,000 take 4,970. */
const MOST_MIB = 250;
/** Kept as a whole, an export of 1,000,000 users takes 1,390 MiB. */
const MOST_TO_READ_MIB = sized(220, 300);
const HEAP_MIB = sized(128, 192);

afterEach(cleanUp);

describe.skipIf(!existsSync("/proc/self/status"))("proof: the memory of a large directory", () => {
  it(
    `${USERS} users are loaded, compared again, exported and checked with a heap of ${HEAP_MIB} MiB`,
    async () => {
      const folder = newFolder();
      const file = join(folder, "users.json");
      await writeUsers(file);
      const config = writeConfig(folder, {
        database: { type: "local", local: { path: join(folder, "store"), sync_writes: false } },
        auth: { encrypt: { secret_key: "a secret key of the tests, long enough" } },
      });
      const first = await measured(["load", "--config", config, file]);
      expect(first.last).toBe(`load of 1 file: ${2 * USERS + 1} added, 0 changed, 0 removed; applied`);
      const second = await measured(["load", "--config", config, file]);
      expect(second.last).toBe("load of 1 file: 0 added, 0 changed, 0 removed; nothing to do");
      report(`memory of a load: ${USERS} users in ${first.mib} MiB, compared in ${second.mib} MiB`);
      expect(Math.max(first.mib, second.mib)).toBeLessThan(MOST_MIB);

      const exported = join(folder, "exported.json");
      const written = await measured([
        "export",
        "--config",
        config,
        "--format",
        "json",
        "--output",
        exported,
      ]);
      report(`memory of an export: ${written.mib} MiB`);
      expect(written.mib).toBeLessThan(MOST_TO_READ_MIB);
      const checked = await measured(["check-store", "--config", config]);
      expect(checked.last).toBe("the store is sound");
      report(`memory of a check of the store: ${checked.mib} MiB`);
      expect(checked.mib).toBeLessThan(MOST_TO_READ_MIB);
      const third = await measured(["load", "--config", config, exported]);
      expect(third.last).toBe("load of 1 file: 0 added, 0 changed, 0 removed; nothing to do");
    },
    sized(480_000, 1_800_000),
  );
});

async function writeUsers(file: string): Promise<void> {
  const out = createWriteStream(file);
  out.write('{"format": 1, "groups": [{"name": "Everyone"}], "users": [');
  for (let user = 0; user < USERS; user++) {
    const text = JSON.stringify({ username: `user-${user}`, groups: ["Everyone"] });
    if (!out.write(`${user === 0 ? "" : ","}${text}`)) await once(out, "drain");
  }
  out.end("]}\n");
  await once(out, "close");
}

/** Runs a command; returns the last line of its output, and the most anonymous memory that was seen. */
async function measured(
  command: readonly string[],
): Promise<{ readonly last: string; readonly mib: number }> {
  const args = [`--max-old-space-size=${HEAP_MIB}`, MAIN, ...command];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  let tail = "";
  child.stdout.on("data", (text) => {
    tail = (tail + text).slice(-1_000);
  });
  let mib = 0;
  const timer = setInterval(() => {
    mib = Math.max(mib, anonymousOf(child.pid));
  }, 20);
  const [code] = await once(child, "close");
  clearInterval(timer);
  expect(code).toBe(0);
  return { last: tail.trimEnd().split("\n").at(-1) ?? "", mib };
}

/** Anonymous memory of a process in MiB; 0 once it has ended. */
function anonymousOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
