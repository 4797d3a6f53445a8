/** Finds the files that paths and globs name (`authorizer.datasets`, or the command line). */

import type { Dirent, Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Problem } from "../errors.ts";
import { compareUtf8 } from "../model/utf8-order.ts";

/** The files found, and the problems of the patterns. */
interface SelectedFiles {
  /** In the order of the patterns, within a glob in byte order; each file once. */
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
}

/** The status of `path`, following links; undefined if it does not exist or cannot be read. */
async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch {
    return undefined;
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Names of all files below `base`, relative to it, at most `depth` folders down. Links to folders are not entered. */
async function filesBelow(base: string, depth: number, hidden: boolean): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string, prefix: string, left: number): Promise<void> => {
    for (const entry of await entriesOf(folder)) {
      if (entry.name.startsWith(".") && !hidden) continue;
      const name = prefix + entry.name;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (left > 1) await walk(path, `${name}/`, left - 1);
      } else if (entry.isFile() || (entry.isSymbolicLink() && (await statusOf(path))?.isFile())) {
        found.push(name);
      }
    }
  };
  await walk(base, "", depth);
  return found;
}

/** The library of globs; most programs are given paths alone, and start without it. */
const globs = async () => (await import("micromatch")).default;

async function expandGlob(pattern: string): Promise<string[]> {
  const micromatch = await globs();
  const { base, glob } = micromatch.scan(pattern);
  const hidden = /(^|[/,{(|])\./.test(glob);
  const depth = /\*\*|\(|\{[^}]*\//.test(glob) ? Number.POSITIVE_INFINITY : glob.split("/").length;
  const names = await filesBelow(base === "" ? "." : base, depth, hidden);
  return micromatch(names, glob, { dot: hidden })
    .sort(compareUtf8)
    .map((name) => (base === "" ? name : `${base.replace(/\/$/, "")}/${name}`));
}

async function select(pattern: string): Promise<readonly string[] | string> {
  const status = await statusOf(pattern);
  if (status?.isFile()) return [pattern];
  if (status?.isDirectory()) return `is a folder; name its files with a glob such as ${pattern}/*.yaml`;
  const { isGlob, negated } = (await globs()).scan(pattern);
  if (!isGlob) return "no such file, or it cannot be read";
  if (negated) return "a glob that begins with ! selects nothing; name the files that are wanted";
  const files = await expandGlob(pattern);
  return files.length === 0 ? "the glob matches no file" : files;
}

/**
 * Finds the files of paths and globs (micromatch syntax). A path that exists is taken as it is, also with glob
 * characters in its name. A path without a file, a folder, and a glob that matches nothing are problems.
 */
export async function selectFiles(patterns: readonly string[]): Promise<SelectedFiles> {
  const files: string[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const pattern of patterns) {
    const found = await select(pattern);
    if (typeof found === "string") {
      problems.push({ file: pattern, pointer: "", message: found });
      continue;
    }
    for (const file of found) {
      const path = resolve(file);
      if (!seen.has(path)) files.push(file);
      seen.add(path);
    }
  }
  return { files, problems };
}
