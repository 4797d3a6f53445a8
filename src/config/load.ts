/** Reads the configuration of a process, or of a test, from all its sources. */
import { dirname } from "node:path";
import { type Environment, homeOf } from "@svc-authorizer/commands/environment.ts";
import {
  ConfigError,
  type ConfigProblem,
  type ProblemSink,
  problemSink,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { rawFromJs, rawFromText } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { valuesOfEnvironment } from "./environment-values.ts";
import { type GivenAt, type GivenValues, givenValues, unknownItem } from "./given-values.ts";
import { type Layer, mergeLayers, type Origins } from "./merge.ts";
import { type ConfigValues, findItem } from "./table.ts";
import { validate } from "./validate.ts";

/** An item set by a flag of the command line. */
export interface FlagValue {
  /** Dotted name of the item. */
  readonly item: string;
  /** Its text, in the notation of variables. */
  readonly value: string;
  /** The flag as it is written, for messages: `--set`. */
  readonly flag: string;
}

/** Items by name, nested as in a file or with dotted names. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** Options of {@link loadConfig}. */
export interface LoadOptions {
  /** Variables, usually those of `readEnvironment()`. */
  readonly env: Environment;
  /** Value of `--config`; without it the file is searched for, with `false` none is read. */
  readonly configFile?: string | false;
  readonly flags?: readonly FlagValue[];
  /** Values that stand in for the table's defaults. */
  readonly defaults?: ConfigObject;
  /** "run" (the default) asks for all that `run` needs; "none" only for values that can be read. */
  readonly requirements?: "run" | "none";
  /** The values of `database.type` that can be opened; all where absent. */
  readonly databaseTypes?: readonly string[];
  /** Working folder; the process's own where absent. */
  readonly cwd?: string;
  /** Home folder; else the variable HOME, else the system's answer. */
  readonly home?: string;
  /** Folder of system-wide settings; `/etc` where absent. */
  readonly etc?: string;
}

/** A configuration that can be used. */
export interface LoadedConfig {
  readonly values: ConfigValues;
  readonly origins: Origins;
  readonly warnings: readonly ConfigProblem[];
  /** Absolute path of the file that was read, if any. */
  readonly file?: string;
}

/**
 * The effective configuration: flags before variables before the file before defaults.
 * Throws {@link ConfigError} with every problem of every source at once.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const sink = problemSink();
  const cwd = options.cwd ?? process.cwd();
  const home = options.home ?? homeOf(options.env);
  const file = readFileOf(options, cwd, home, sink);
  const layers: Layer[] = [
    { kind: "flag", given: valuesOfFlags(options.flags ?? [], sink), folder: cwd },
    { kind: "variable", given: valuesOfEnvironment(options.env), folder: cwd },
  ];
  if (file?.values !== undefined) {
    layers.push({ kind: "file", given: givenValues(file.values, sink), folder: dirname(file.path) });
  }
  layers.push({ kind: "default", given: valuesOfObject(options.defaults ?? {}, sink), folder: cwd });
  const fileUnusable = file !== undefined && file.values === undefined;
  const requirements = fileUnusable ? "none" : (options.requirements ?? "run");
  const { databaseTypes } = options;
  return finish(layers, { home, requirements, databaseTypes, ...(file && { file: file.path }) }, sink);
}

/**
 * The configuration that an object gives, over `baseDefaults` in place of the table's defaults: the same parsing and
 * the same rules as for a file, but no file and no variable is read. For starting the service inside a test.
 * Throws {@link ConfigError} with every problem at once.
 */
export function configFromObject(
  overrides: ConfigObject,
  baseDefaults: ConfigObject = {},
  options: Pick<LoadOptions, "cwd" | "home" | "requirements" | "databaseTypes"> = {},
): LoadedConfig {
  const sink = problemSink();
  const folder = options.cwd ?? process.cwd();
  const layers: Layer[] = [
    { kind: "code", given: valuesOfObject(overrides, sink), folder },
    { kind: "default", given: valuesOfObject(baseDefaults, sink), folder },
  ];
  const { home = homeOf({}), requirements = "run", databaseTypes } = options;
  return finish(layers, { home, requirements, databaseTypes }, sink);
}

interface FinishOptions {
  readonly home: string;
  readonly requirements: "run" | "none";
  readonly databaseTypes: readonly string[] | undefined;
  readonly file?: string;
}

function finish(layers: readonly Layer[], options: FinishOptions, sink: ProblemSink): LoadedConfig {
  const { values, origins } = mergeLayers(layers, options.home, sink);
  if (options.requirements === "run") {
    const faulty = new Set(sink.problems.map((problem) => problem.item));
    const found = validate(values, origins, options);
    sink.problems.push(...found.problems.filter((problem) => !faulty.has(problem.item)));
    sink.warnings.push(...found.warnings);
  }
  if (sink.problems.length > 0) throw new ConfigError(sink.problems, sink.warnings);
  return {
    values,
    origins,
    warnings: sink.warnings,
    ...(options.file !== undefined && { file: options.file }),
  };
}

function readFileOf(
  options: LoadOptions,
  cwd: string,
  home: string,
  sink: ProblemSink,
): ConfigFile | undefined {
  if (options.configFile === false) return undefined;
  return readConfigFile({ configFile: options.configFile, cwd, home, etc: options.etc ?? "/etc" }, sink);
}

function valuesOfFlags(flags: readonly FlagValue[], sink: ProblemSink): GivenValues {
  const given = new Map<string, GivenAt>();
  for (const { item: name, value, flag } of flags) {
    const item = findItem(name);
    const place = { source: flag };
    if (item === undefined) sink.problems.push(unknownItem(name, place));
    else given.set(item.name, { raw: rawFromText(value, place), place });
  }
  return given;
}

function valuesOfObject(object: ConfigObject, sink: ProblemSink): GivenValues {
  const tree = rawFromJs(object, {});
  return tree.shape === "map" ? givenValues(tree, sink) : new Map();
}
