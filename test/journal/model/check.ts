/** Runs the model as a program of its own, on the sources as they are or on a copy that lacks a rule. */

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Edit } from "./biases.ts";
import type { Rule } from "./rules.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** A model: the program that runs it, and the parts of the sources that it needs. */
export interface Model {
  readonly main: string;
  readonly parts: readonly string[];
}

/** The model of the protocol between nodes. */
const NODES: Model = {
  main: "test/journal/model/main.ts",
  parts: [
    "package.json",
    "src/journal",
    "src/store",
    "src/schedule",
    "packages/policy/package.json",
    "packages/policy/src",
    "test/journal/model",
  ],
};

/** The model of readers and callers. */
export const READERS: Model = {
  main: "test/journal/readers/main.ts",
  parts: [
    "package.json",
    "src",
    ...["client", "commands", "policy"].flatMap((name) => [
      `packages/${name}/package.json`,
      `packages/${name}/src`,
    ]),
    "test/journal/readers",
  ],
};

export interface Verdict {
  readonly fault: string;
  readonly runs: number;
  /** The seed and the number of the run that failed. */
  readonly seed?: string;
  readonly at?: string;
}

/** The runs that a program makes: so many from a number on, of those that a seed gives. */
interface Runs {
  readonly count: number;
  readonly seed: number;
  readonly from: number;
}

function anyRuns(count: number): Runs {
  return { count, seed: Date.now() % 1e9, from: 0 };
}

function run(program: string, { count, seed, from }: Runs): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, `${count}`, `${seed}`, "first", `${from}`],
      (error, stdout, stderr) => {
        const line = stdout.trim().split("\n").at(-1) ?? "";
        if (line.startsWith("{")) resolve(JSON.parse(line) as Verdict);
        else reject(new Error(`the model failed: ${stderr}`, { cause: error }));
      },
    );
  });
}

/** Runs a model on a copy of the sources in which some lines are replaced. */
async function runModel(
  { main, parts }: Model,
  edits: readonly Edit[],
  ...runs: readonly Runs[]
): Promise<Verdict> {
  const base = mkdtempSync(join(tmpdir(), "journal-rule-"));
  const folder = join(base, "copy");
  try {
    for (const part of parts) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    // The nearer folder has the copied packages: by the other one a copy would import the packages of the clone.
    symlinkSync(join(ROOT, "node_modules"), join(base, "node_modules"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(join(folder, "packages"), join(folder, "node_modules", "@svc-authorizer"));
    for (const { file, from, to } of edits) {
      const source = readFileSync(join(folder, file), "utf8");
      expect(source.split(from)).toHaveLength(2);
      writeFileSync(
        join(folder, file),
        source.replace(from, () => to),
      );
    }
    let verdict: Verdict = { fault: "", runs: 0 };
    for (const one of runs) {
      verdict = await run(join(folder, main), one);
      if (verdict.fault !== "") break;
    }
    return verdict;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Expects that no schedule of the sources has a fault, with some lines of them replaced. The verdict names the seed of one that has. */
export async function expectSound(
  schedules: number,
  edits: readonly Edit[] = [],
  model = NODES,
): Promise<void> {
  const verdict = await runModel(model, edits, anyRuns(schedules));
  expect(verdict).toEqual(expect.objectContaining({ fault: "", runs: schedules }));
}

/** Expects that some schedule has a fault once a rule is taken out. Returns the verdict, which names one. */
export async function expectFault(rule: Rule, schedules: number, model = NODES): Promise<Verdict> {
  const { also = [], found } = rule;
  const known = found === undefined ? [] : [{ count: 1, seed: found[0], from: found[1] }];
  const verdict = await runModel(model, [...also, rule], ...known, anyRuns(schedules));
  expect(verdict.fault).not.toBe("");
  if (found !== undefined && verdict.seed !== String(found[0])) {
    console.warn(
      `without ${rule.name}, found is outdated: [${verdict.seed}, ${verdict.at}] took ${verdict.runs} runs`,
    );
  }
  return verdict;
}
