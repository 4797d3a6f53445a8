/** Problems of a configuration: their form, their collection and their error. */
import { AuthorizerError, type Problem, pointTo } from "../../errors.ts";

/** The place of a value. */
export interface Place {
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** The environment variable or the flag, if the value is not from a file. */
  readonly source?: string;
}

/** One fault, or one warning, of a configuration. */
export interface ConfigProblem extends Problem {
  /** Dotted name of the item; empty for a fault of the whole file. */
  readonly item: string;
  /** Environment variable or flag the value came from. */
  readonly source?: string;
}

/** Collects the problems and warnings of a configuration while it is read. */
export interface ProblemSink {
  readonly problems: ConfigProblem[];
  readonly warnings: ConfigProblem[];
}

/** A fresh, empty sink. */
export function problemSink(): ProblemSink {
  return { problems: [], warnings: [] };
}

/** A problem of `item`; `below` are further segments of its JSON pointer (index of an element, field). */
export function problemOf(
  item: string,
  message: string,
  place: Place = {},
  below: readonly (string | number)[] = [],
): ConfigProblem {
  const segments = [...(item === "" ? [] : item.split(".")), ...below.map(String)];
  return { pointer: segments.reduce(pointTo, ""), item, message, ...place };
}

/** One line for people: `file:line: item: message`, or the variable in place of the file. */
export function formatProblem(problem: ConfigProblem): string {
  const line = problem.line === undefined ? "" : `:${problem.line}`;
  const where = problem.file === undefined ? problem.source : `${problem.file}${line}`;
  return [where, problem.item, problem.message]
    .filter((part) => part !== undefined && part !== "")
    .join(": ");
}

/**
 * Thrown when a configuration cannot be used. Code "invalid_request"; `problems` are all faults found at once, in
 * the order of the sources, `warnings` what else was seen. The message lists every problem and holds no secret.
 */
export class ConfigError extends AuthorizerError {
  declare readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], warnings: readonly ConfigProblem[] = []) {
    const lines = problems.map((problem) => `\n  ${formatProblem(problem)}`).join("");
    super("invalid_request", `the configuration has ${countOf(problems.length, "problem")}:${lines}`, {
      problems,
    });
    this.name = "ConfigError";
    this.warnings = warnings;
  }
}

/** `1 problem`, `2 problems`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
