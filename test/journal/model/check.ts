/** Runs the model as a program of its own, on the sources as they are or without a rule. */

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Edit } from "./biases.ts";
import type { Rule } from "./rule.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const REPLACE = new URL("./replace-sources.ts", import.meta.url).href;

/** The program of the model of the protocol between nodes. */
const NODES = "test/journal/model/main.ts";
/** The program of the model of readers and callers. */
export const READERS = "test/journal/readers/main.ts";

interface Verdict {
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

/** Runs a model on the sources with some lines replaced as they are loaded, which finds the compiled code of all others. */
function run(program: string, edits: readonly Edit[], { count, seed, from }: Runs): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [`--import=${REPLACE}`, join(ROOT, program), `${count}`, `${seed}`, "first", `${from}`],
      { env: { ...process.env, EDITS: JSON.stringify(edits) } },
      (error, stdout, stderr) => {
        const line = stdout.trim().split("\n").at(-1) ?? "";
        if (line.startsWith("{")) resolve(JSON.parse(line) as Verdict);
        else reject(new Error(`the model failed: ${line}${stderr}`, { cause: error }));
      },
    );
  });
}

/** Runs a model with some lines of the sources replaced, each of which stands there once, until there is a fault. */
async function runModel(program: string, edits: readonly Edit[], ...runs: readonly Runs[]): Promise<Verdict> {
  const sources = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const source = sources.get(file) ?? readFileSync(join(ROOT, file), "utf8");
    expect(source.split(from)).toHaveLength(2);
    sources.set(
      file,
      source.replace(from, () => to),
    );
  }
  let verdict: Verdict = { fault: "", runs: 0 };
  for (const one of runs) {
    verdict = await run(program, edits, one);
    if (verdict.fault !== "") break;
  }
  return verdict;
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
