/** Runs the model as a program of its own, on the sources as they are or on a copy that lacks a rule. */

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Edit } from "./biases.ts";
import type { Rule } from "./rules.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The parts of the sources that the model needs. */
const PARTS = [
  "package.json",
  "src/journal",
  "src/store",
  "src/model",
  "src/schedule",
  "src/errors.ts",
  "test/journal/model",
];
const MAIN = "test/journal/model/main.ts";

export interface Verdict {
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

/** Runs the model on a copy of the sources in which some lines are replaced. */
export async function runWith(edits: readonly Edit[], schedules: number, ...more: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "journal-rule-"));
  try {
    for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    for (const { file, from, to } of edits) {
      const source = readFileSync(join(folder, file), "utf8");
      expect(source.split(from)).toHaveLength(2);
      writeFileSync(
        join(folder, file),
        source.replace(from, () => to),
      );
    }
    return await run(folder, schedules, ...more);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Expects that no schedule of the sources has a fault, with some lines of them replaced. The verdict names the seed of one that has. */
export async function expectSound(schedules: number, edits: readonly Edit[] = []): Promise<void> {
  const verdict = await runWith(edits, schedules, "first");
  expect(verdict).toEqual(expect.objectContaining({ fault: "", runs: schedules }));
}

/** Expects that some schedule has a fault once a rule is taken out. */
export async function expectFault(rule: Rule, schedules: number): Promise<void> {
  const { fault } = await runWith([...(rule.also ?? []), rule], schedules, "first");
  expect(fault).not.toBe("");
}
