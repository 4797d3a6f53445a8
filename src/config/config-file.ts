/** Finds and reads the configuration file. */
import { closeSync, openSync, readSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ProblemSink, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import type { RawMap } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { readYaml } from "@svc-authorizer/policy/source-files/configuration/read-yaml.ts";
import { readFaultOf } from "./read-fault.ts";
import { absolutePath } from "./values/path-value.ts";

/** Largest configuration file. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** The places to search for the file. */
interface FileSearch {
  /** Value of `--config`. */
  readonly configFile?: string | undefined;
  readonly cwd: string;
  readonly home: string;
  /** Folder of system-wide settings: `/etc`. */
  readonly etc: string;
}

/** A configuration file that was read. */
export interface ConfigFile {
  /** Absolute. */
  readonly path: string;
  /** Undefined when it could not be read or parsed; the sink has the problems. */
  readonly values: RawMap | undefined;
}

/** The places of a configuration file, in order, when no flag names one. */
export function searchPaths({ cwd, home, etc }: FileSearch): readonly string[] {
  return [
    join(cwd, "config.yaml"),
    join(home, "svc", "config.yaml"),
    join(etc, "svc", "config.yaml"),
    join(home, ".svc.yaml"),
  ];
}

/** Reads the file that `--config` names, else the first that exists; undefined when no file exists. */
export function readConfigFile(search: FileSearch, sink: ProblemSink): ConfigFile | undefined {
  const { configFile, cwd, home } = search;
  const named =
    configFile === undefined ? undefined : absolutePath(configFile, "file", { folder: cwd, home });
  for (const path of named === undefined ? searchPaths(search) : [resolve(named)]) {
    const content = readBounded(path);
    if (content.missing && named === undefined) continue;
    if (content.text === undefined) {
      sink.problems.push(problemOf("", content.fault, { file: path }));
      return { path, values: undefined };
    }
    return { path, values: readYaml(content.text, path, sink) };
  }
  return undefined;
}

type Content =
  | { readonly text: string; readonly missing: false }
  | { readonly text: undefined; readonly fault: string; readonly missing: boolean };

function readBounded(path: string): Content {
  try {
    const bytes = readUpTo(path, LARGEST_FILE_BYTES + 1);
    if (bytes.length > LARGEST_FILE_BYTES) return fault("is larger than 1 MiB");
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), missing: false };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    return { ...fault(readFaultOf(error)), missing: code === "ENOENT" || code === "ENOTDIR" };
  }
}

function fault(text: string): { text: undefined; fault: string; missing: false } {
  return { text: undefined, fault: text, missing: false };
}

/** Reads at most `limit` bytes; works on pipes too, whose size is not known beforehand. */
function readUpTo(path: string, limit: number): Uint8Array {
  const handle = openSync(path, "r");
  try {
    const buffer = new Uint8Array(limit);
    let length = 0;
    while (length < limit) {
      const count = readSync(handle, buffer, length, limit - length, null);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}
