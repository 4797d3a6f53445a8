/** Collects the problems of all files of a load, to report them at once. */

import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { Position } from "@svc-authorizer/policy/source-files/source.ts";
import { formatProblem } from "./format-problem.ts";

/** Largest number of problems that are reported one by one; the rest is counted. */
export const MAX_REPORTED_PROBLEMS = 1_000;

/** A file, or what stands for one, in which places can be found. */
export interface ProblemSource {
  readonly file: string;
  locate(pointers: readonly string[]): ReadonlyMap<string, Position> | Promise<ReadonlyMap<string, Position>>;
}

interface Entry {
  readonly file: string;
  readonly source: ProblemSource | undefined;
  readonly problem: Problem;
}

/** Orders problems by file (in order of appearance), then by place. */
function byPlace(entries: readonly Entry[]): (a: Problem, b: Problem) => number {
  const files = [...new Set(entries.map(({ file }) => file))];
  const rank = new Map(files.map((file, index) => [file, index]));
  return (a, b) =>
    (rank.get(a.file ?? "") ?? 0) - (rank.get(b.file ?? "") ?? 0) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0);
}

/** A list of problems. It finds their places in files when it is read, once per file. */
export class ProblemList {
  readonly #entries: Entry[] = [];
  #count = 0;

  /** Number of problems, including those beyond {@link MAX_REPORTED_PROBLEMS}. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds a problem of the value at `pointer`. `message` must not contain secrets.
   * @param member the label under which a refused member is counted
   */
  add(source: ProblemSource, pointer: string, message: string, member?: string): void {
    this.#count++;
    if (this.#entries.length >= MAX_REPORTED_PROBLEMS) return;
    const problem = { file: source.file, pointer, message, ...(member !== undefined && { member }) };
    this.#entries.push({ file: source.file, source, problem });
  }

  /** Adds a problem of a whole file. */
  addFile(problem: Problem): void {
    this.#count++;
    if (this.#entries.length >= MAX_REPORTED_PROBLEMS) return;
    this.#entries.push({ file: problem.file ?? "", source: undefined, problem });
  }

  /** Counts problems that are not told. */
  addUntold(count: number): void {
    this.#count += count;
  }

  /** Adds what another list has. */
  addAll(other: ProblemList): void {
    this.#count += other.#count;
    this.#entries.push(...other.#entries.slice(0, MAX_REPORTED_PROBLEMS - this.#entries.length));
  }

  /** The first problems, ordered by file and line, and one that counts the rest. */
  async list(): Promise<readonly Problem[]> {
    const located = new Map<ProblemSource, ReadonlyMap<string, Position>>();
    for (const [source, entries] of Map.groupBy(this.#entries, (entry) => entry.source)) {
      if (source === undefined) continue;
      located.set(source, await source.locate(entries.map(({ problem }) => problem.pointer)));
    }
    const problems = this.#entries
      .map(({ source, problem }) =>
        source === undefined ? problem : { ...problem, ...located.get(source)?.get(problem.pointer) },
      )
      .sort(byPlace(this.#entries));
    const rest = this.#count - problems.length;
    return rest === 0 ? problems : [...problems, { pointer: "", message: `and ${rest} more` }];
  }

  /** Throws "invalid_request" with the problems, if there are any; its message lists them too, one a line. */
  async throwIfAny(): Promise<void> {
    if (this.#count === 0) return;
    const what = this.#count === 1 ? "1 problem" : `${this.#count} problems`;
    const problems = await this.list();
    const lines = [`the data set has ${what}; nothing was loaded`, ...problems.map(formatProblem)];
    throw new AuthorizerError("invalid_request", lines.join("\n  "), { problems });
  }
}
