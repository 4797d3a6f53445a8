/** Runs the model as a program of its own, on the sources as they are or on a copy that lacks a rule. */

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Rule } from "./rules.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MAIN = "test/journal/model/main.ts";

interface Verdict {
  readonly fault: string;
  readonly runs: number;
}

function run(folder: string, schedules: number, ...more: readonly string[]): Promise<Verdict> {
  const seed = String(Date.now() % 1e9);
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [join(folder, MAIN), String(schedules), seed, ...more],
      (error, stdout, stderr) => {
        const line = stdout.trim().split("\n").at(-1) ?? "";
        if (line.startsWith("{")) resolve(JSON.parse(line) as Verdict);
        else reject(new Error(`the model failed: ${stderr}`, { cause: error }));
      },
    );
  });
}

/** Expects that no schedule of the sources has a fault. */
export async function expectSound(schedules: number): Promise<void> {
  const verdict = await run(ROOT, schedules);
  expect(verdict).toEqual(expect.objectContaining({ fault: "", runs: schedules }));
}

/** Expects that some schedule has a fault once a rule is taken out. */
export async function expectFault({ file, from, to }: Rule, schedules: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "journal-rule-"));
  try {
    for (const part of [
      "src/journal",
      "src/store",
      "src/model",
      "src/schedule",
      "src/errors.ts",
      "test/journal/model",
    ]) {
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    }
    cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const source = readFileSync(join(ROOT, file), "utf8");
    expect(source.split(from)).toHaveLength(2);
    writeFileSync(join(folder, file), source.replace(from, to));
    const { fault } = await run(folder, schedules, "first");
    expect(fault).not.toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
