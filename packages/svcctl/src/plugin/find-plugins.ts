/** Finds plugins: executables `svcctl-NAME` in the folders of PATH. */

import { type Dirent, readdirSync, statSync } from "node:fs";
import { delimiter, extname, isAbsolute, join } from "node:path";
import type { Environment } from "@svc-authorizer/commands/environment.ts";

const PREFIX = "svcctl-";
const RUNNABLE_ON_WINDOWS = [".exe", ".com"];
/** A name that no shell and no path reads as something else. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** A plugin, or a file that looks like one and is none. */
interface FoundPlugin {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** The reason why it does not run; undefined for a plugin. */
  readonly fault?: string;
}

/**
 * Returns the files of the folders of PATH, in its order. Relative folders are passed over: what stands in the working
 * folder must not run because of a typing error.
 */
export function findPlugins(env: Environment): readonly FoundPlugin[] {
  const folders = new Set((env["PATH"] ?? "").split(delimiter).filter(isAbsolute));
  const first = new Map<string, string>();
  const found: FoundPlugin[] = [];
  for (const folder of folders) {
    for (const { name: file } of entriesOf(folder)) {
      const name = nameOf(file);
      if (name === undefined) continue;
      const path = join(folder, file);
      const earlier = first.get(name);
      const fault = faultOf(path) ?? (earlier === undefined ? undefined : `is hidden by ${earlier}`);
      if (fault === undefined) first.set(name, path);
      if (fault !== "is a folder") found.push({ name, path, ...(fault !== undefined && { fault }) });
    }
  }
  return found;
}

/** The file that a word stands for; undefined where there is none. */
export function findPlugin(word: string, env: Environment): string | undefined {
  if (!NAME.test(word)) return undefined;
  return findPlugins(env).find(({ name, fault }) => name === word && fault === undefined)?.path;
}

function nameOf(file: string): string | undefined {
  if (!file.startsWith(PREFIX)) return undefined;
  const name = file.slice(PREFIX.length);
  const ending = process.platform === "win32" ? extname(name).toLowerCase() : "";
  const bare = RUNNABLE_ON_WINDOWS.includes(ending) ? name.slice(0, -ending.length) : name;
  return NAME.test(bare) ? bare : undefined;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // PATH usually names folders that are not there.
    return [];
  }
}

function faultOf(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return "is a folder";
    const runs =
      process.platform === "win32"
        ? RUNNABLE_ON_WINDOWS.includes(extname(path).toLowerCase())
        : (found.mode & 0o111) !== 0;
    return runs ? undefined : "is not executable";
  } catch {
    return "cannot be read";
  }
}
