/** Implements `svc-authorizer config show`, `validate` and `docs`. */

import { safeMessage } from "@svc-authorizer/commands/safe-text.ts";
import {
  ConfigError,
  type ConfigProblem,
  countOf,
  formatProblem,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { foundProblems, loadServiceConfig } from "../compose/configuration.ts";
import { onlineFindings } from "../compose/online-findings.ts";
import { providerFindings } from "../compose/provider-findings.ts";
import type { AnyItem } from "../config/item.ts";
import type { LoadedConfig, LoadOptions } from "../config/load.ts";
import type { Origin } from "../config/merge.ts";
import { type ShownValue, shownValue } from "../config/redact.ts";
import { configurationReference } from "../config/reference.ts";
import { ALL_ITEMS, effectiveValue } from "../config/table.ts";
import { type CommandCall, flagsOf } from "./command.ts";
import { type ConfigFlags, loadOptionsOf } from "./command-context.ts";

/** The output of a command. */
interface TextSink {
  write(text: string): unknown;
}

/** Standard output and error of a command. */
export interface CommandStreams {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
}

/** Exit code of a command: 0, or 2 for a configuration that cannot be used. */
type ConfigExitCode = 0 | 2;

/** Options of `config show`. */
interface ShowOptions {
  /** JSON in place of YAML. */
  readonly json?: boolean;
  /** Leave out what has its default value by default. */
  readonly onlySet?: boolean;
}

/**
 * Prints the effective value of every item, secrets redacted, with its origin: as YAML that loads again, or as JSON.
 * What `run` would miss is not asked for.
 */
export function showConfig(
  load: LoadOptions,
  streams: CommandStreams,
  options: ShowOptions = {},
): ConfigExitCode {
  const loaded = tryLoad({ requirements: "none", ...load }, streams);
  if (loaded === undefined) return 2;
  const shown = ALL_ITEMS.map((item) => rowOf(item, loaded)).filter(
    (row) => options.onlySet !== true || row.origin.kind !== "default",
  );
  if (options.json === true) streams.stdout.write(jsonText(shown, loaded));
  else streams.stdout.write(yamlText(shown));
  return 0;
}

/** Options of `config validate`. */
interface ValidateOptions {
  /** Ask the data server and the identity providers, too. */
  readonly online?: boolean;
}

/** Reports every problem and warning of a configuration, one a line. Exit code 2 when there is a problem. */
export async function validateConfig(
  load: LoadOptions,
  streams: CommandStreams,
  { online = false }: ValidateOptions = {},
): Promise<ConfigExitCode> {
  const loaded = tryLoad(load, streams);
  if (loaded === undefined) return 2;
  const found = await foundProblems(loaded);
  const asks = online && found.length === 0;
  const server = asks ? await onlineFindings(loaded) : NOTHING_SEEN;
  const providers = asks ? await providerFindings(loaded) : NOTHING_SEEN;
  const seen = {
    problems: [...server.problems, ...providers.problems],
    warnings: [...server.warnings, ...providers.warnings],
  };
  streams.stderr.write(problemLines(seen.warnings, "warning: "));
  const problems = [...found, ...seen.problems];
  if (problems.length > 0) {
    streams.stderr.write(`${problemLines(problems, "")}${countOf(problems.length, "problem")}\n`);
    return 2;
  }
  const where = loaded.file ?? "no configuration file; variables and defaults";
  const length = loaded.warnings.length + seen.warnings.length;
  streams.stdout.write(`${where}: valid${length === 0 ? "" : `, ${countOf(length, "warning")}`}\n`);
  return 0;
}

/** Prints the reference of every item: the text of `docs/configuration.md`. */
export function printConfigReference(streams: CommandStreams): ConfigExitCode {
  streams.stdout.write(configurationReference());
  return 0;
}

const NOTHING_SEEN = { problems: [], warnings: [] };

/** Loads, with warnings and problems written to standard error; undefined when there was a problem. */
function tryLoad(load: LoadOptions, { stderr }: CommandStreams): LoadedConfig | undefined {
  try {
    const loaded = loadServiceConfig(load);
    stderr.write(problemLines(loaded.warnings, "warning: "));
    return loaded;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr.write(problemLines(error.warnings, "warning: ") + problemLines(error.problems, ""));
    stderr.write(`${countOf(error.problems.length, "problem")}\n`);
    return undefined;
  }
}

function problemLines(problems: readonly ConfigProblem[], prefix: string): string {
  return problems.map((problem) => safeMessage(`${prefix}${formatProblem(problem)}\n`)).join("");
}

interface ShownRow {
  readonly name: string;
  readonly value: ShownValue;
  readonly origin: Origin;
}

function rowOf(item: AnyItem, { values, origins }: LoadedConfig): ShownRow {
  const origin = origins.get(item.name) ?? { kind: "default", detail: "", place: {} };
  return { name: item.name, value: shownValue(item, effectiveValue(values, item.name)), origin };
}

function jsonText(rows: readonly ShownRow[], loaded: LoadedConfig): string {
  const items = rows.map(({ name, value, origin: { kind, detail } }) => [
    name,
    { value, origin: { kind, detail } },
  ]);
  return `${JSON.stringify({ file: loaded.file ?? null, items: Object.fromEntries(items) }, undefined, 2)}\n`;
}

/** Widest column of values that comments are aligned to. */
const WIDEST_VALUE = 40;

function yamlText(rows: readonly ShownRow[]): string {
  const cells = rows.map(({ name, value, origin }) => ({
    name: `${name}:`,
    value: scalarText(value),
    origin: originText(origin),
  }));
  const nameWidth = Math.max(0, ...cells.map((cell) => cell.name.length));
  const valueWidth = Math.min(WIDEST_VALUE, Math.max(0, ...cells.map((cell) => cell.value.length)));
  return cells
    .map((cell) => `${cell.name.padEnd(nameWidth)} ${cell.value.padEnd(valueWidth)}  # ${cell.origin}\n`)
    .join("");
}

/** Texts that YAML reads back as the same text without quotes. */
const PLAIN =
  /^(?!(?:true|false|null|~)$)[A-Za-z/~][\w./~-]*$|^\d[\w.]*[A-Za-z]$|^\d+ [KMG]iB$|^\d+\/[smh]$/i;

function scalarText(value: ShownValue): string {
  return typeof value === "string" && PLAIN.test(value) ? value : JSON.stringify(value);
}

function originText({ kind, detail }: Origin): string {
  const text = detail === "" ? kind : kind === "default" ? `default: ${detail}` : `${kind} ${detail}`;
  return text.replace(/\p{Cc}/gu, "?");
}

/** `config show`. */
export function show(call: CommandCall): void {
  const { json = false, onlySet = false } = flagsOf<ShowOptions>(call);
  const load = loadOptionsOf(call.context, flagsOf<ConfigFlags>(call));
  call.context.finish(showConfig(load, call.context.edge, { json, onlySet }));
}

/** `config validate`. */
export async function validate(call: CommandCall): Promise<void> {
  const load = loadOptionsOf(call.context, flagsOf<ConfigFlags>(call));
  call.context.finish(await validateConfig(load, call.context.edge, flagsOf<ValidateOptions>(call)));
}

/** `config docs`. */
export function docs({ context }: CommandCall): void {
  context.finish(printConfigReference(context.edge));
}
