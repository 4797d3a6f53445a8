/** Output of any length waits for its reader: a load that is committed does not fail on it (datasets.md). */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { cleanUp, newFolder, run, writeConfig } from "./program.ts";

const MAIN = join(import.meta.dirname, "..", "..", "src", "main.ts");
const USERS = 20_000;

afterEach(cleanUp);

interface Loaded {
  readonly code: number | null;
  readonly lines: number;
  readonly last: string;
  readonly config: string;
}

/** Loads a data set; `read` takes the output. */
async function load(read: (output: NodeJS.ReadableStream) => Promise<readonly string[]>): Promise<Loaded> {
  const folder = newFolder();
  const users = Array.from({ length: USERS }, (_, index) => ({ username: `u${index}`, groups: ["g"] }));
  const file = join(folder, "users.json");
  writeFileSync(file, JSON.stringify({ format: 1, groups: [{ name: "g" }], users }));
  const config = writeConfig(folder, {
    "database.type": "local",
    "database.local.path": join(folder, "store"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "logging.level": "WARN",
  });
  // The pipe of a child is a pair of sockets, which take no more than their reader does.
  const child = spawn(process.execPath, [MAIN, "load", file, "--config", config], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = await read(child.stdout);
  return { code: await ended, lines: lines.length, last: lines.at(-1) ?? "", config };
}

it("a slow reader gets every line, and the command succeeds", async () => {
  const { code, lines, last } = await load(async (output) => {
    let text = "";
    for await (const part of output) {
      text += part;
      await setTimeout(5);
    }
    return text.trimEnd().split("\n");
  });
  expect(last).toBe(`load of 1 file: ${2 * USERS + 1} added, 0 changed, 0 removed; applied`);
  expect([code, lines]).toEqual([0, 2 * USERS + 2]);
});

it("a reader who leaves early ends nothing: what was loaded is there, and the command succeeds", async () => {
  const { code, config } = await load(async (output) => {
    for await (const _ of output) break;
    return [];
  });
  expect(code).toBe(0);
  const { stdout } = await run(["export", "--config", config, "--format", "json"]);
  expect(JSON.parse(stdout).users).toHaveLength(USERS);
});
