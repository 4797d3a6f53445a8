/** Finds and reads svcctl's configuration file. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { suggestion } from "@svc-authorizer/policy/model/closest-name.ts";
import { formatProblem, problemSink } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import type { RawMap, RawValue } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { readYaml } from "@svc-authorizer/policy/source-files/configuration/read-yaml.ts";
import { type Environment, homeOf } from "../environment.ts";
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
  settingFromText,
} from "./settings-table.ts";

/** Largest file that is read. */
const LARGEST_BYTES = 1024 * 1024;

/** The path of the file. */
interface SettingsPlace {
  /** Absolute. */
  readonly path: string;
  /** True if `--config` names it. The file must then exist and be readable. */
  readonly required: boolean;
}

/** The sources from which the path of the file is found. */
interface PlaceHints {
  readonly options: { readonly config?: string };
  readonly env: Environment;
  readonly edge: { readonly cwd: string };
}

/** The file of `--config`, of `SVCCTL_CONFIG_FILE`, or the one in the home folder. */
export function settingsPlace({ options, env, edge }: PlaceHints): SettingsPlace {
  if (options.config !== undefined) return { path: resolve(edge.cwd, options.config), required: true };
  const named = env["SVCCTL_CONFIG_FILE"] ?? "";
  if (named !== "") return { path: resolve(edge.cwd, named), required: false };
  return { path: join(homeOf(env), ".svcctl.yaml"), required: false };
}

/** The content of a settings file. */
export interface SettingsFile {
  readonly values: ReadonlyMap<SettingName, SettingValue>;
  /** The reason why the file could not be read; then it has no values. */
  readonly fault?: string;
  /** With `fault`: there is no such file. */
  readonly missing?: boolean;
}

/**
 * Reads the file. The result has a `fault` if the file cannot be read or is not YAML.
 * @param shown the name of the file in a fault
 * @throws Error when it holds an unknown item, or a value of another type
 */
export function readSettingsFile(path: string, shown = path): SettingsFile {
  const content = textOf(path, shown);
  if (typeof content !== "string") return { values: new Map(), ...content };
  const sink = problemSink();
  const tree = readYaml(content, shown, sink);
  if (tree === undefined || sink.problems.length > 0) {
    return { values: new Map(), fault: sink.problems.map(formatProblem).join("; ") };
  }
  const values = new Map<SettingName, SettingValue>();
  collect(tree, "", values);
  return { values };
}

function textOf(path: string, shown: string): string | { fault: string; missing?: boolean } {
  try {
    const bytes = readFileSync(path);
    return bytes.length > LARGEST_BYTES ? { fault: "file is too large" } : bytes.toString("utf8");
  } catch (error) {
    return { fault: openFault(shown, error), missing: (error as NodeJS.ErrnoException).code === "ENOENT" };
  }
}

/** `open X: no such file or directory`, or with the name of another call. */
export function openFault(path: string, error: unknown, call: "open" | "stat" | "lstat" = "open"): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return `${call} ${path}: ${SYSTEM_TEXTS.get(code) ?? message}`;
}

const SYSTEM_TEXTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or directory"],
  ["EACCES", "permission denied"],
  ["EISDIR", "is a directory"],
  ["ENOTDIR", "not a directory"],
]);

function collect(map: RawMap, prefix: string, values: Map<SettingName, SettingValue>): void {
  for (const { key, value } of map.entries) {
    const name = prefix + key.toLowerCase();
    if (isSetting(name)) {
      const read = settingOf(name, value);
      if (read !== undefined) values.set(name, read);
    } else if (value.shape === "map" && SETTING_NAMES.some((known) => known.startsWith(`${name}.`))) {
      collect(value, `${name}.`, values);
    } else if (value.shape !== "null" || !SETTING_NAMES.some((known) => known.startsWith(`${name}.`))) {
      throw unmarshalError(
        `unknown key ${JSON.stringify(name.slice(0, 80))}${suggestion(name, SETTING_NAMES)}`,
      );
    }
  }
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function unmarshalError(text: string): Error {
  return new Error(`error unmarshal configuration: ${text}`);
}

function settingOf(name: SettingName, raw: RawValue): SettingValue | undefined {
  const setting: Setting = SETTINGS[name];
  if (raw.shape === "null") return undefined;
  if (setting.type === "table" && raw.shape === "map") {
    return Object.fromEntries(
      raw.entries.map(({ key, value }) => [key, value.shape === "scalar" ? value.text : ""]),
    );
  }
  if (raw.shape !== "scalar") throw unmarshalError(`${name}: expected a ${setting.type}, not a ${raw.shape}`);
  if (setting.strict && raw.kind !== "string") {
    throw unmarshalError(`${name}: must be a string, not a ${kindName(raw.kind, raw.text)}`);
  }
  const value = settingFromText(setting.type, raw.text);
  // The message does not contain the text, which may be a misplaced secret.
  if (value === undefined) throw unmarshalError(`${name}: expected a ${setting.type}`);
  return value;
}

function kindName(kind: string, text: string): string {
  if (kind === "bool") return "bool";
  return /^[+-]?(\d+|0[xo][\da-f]+)$/i.test(text) ? "int" : "float64";
}
