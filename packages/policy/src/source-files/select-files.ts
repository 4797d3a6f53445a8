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

/** The content of a folder that a glob may match. */
interface Below {
  /** Names of files, relative to the folder. */
  readonly files: string[];
  /** Names of links that lead to nothing that can be read: whatever was there may be missed. */
  readonly broken: Set<string>;
  readonly problems: Problem[];
}

function problemOf(file: string, message: string): Problem {
  return { file, pointer: "", message };
}

/** The entries of a folder; none of one that does not exist, and a problem of one that cannot be read. */
async function entriesOf(folder: string, problems: Problem[]): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === "ENOENT" || code === "ENOTDIR";
    if (!isGone) problems.push(problemOf(folder, `the folder cannot be read (${code})`));
    return [];
  }
}

/** All files below `base`, at most `depth` folders down. Links to folders are not entered. */
async function filesBelow(base: string, depth: number, hidden: boolean): Promise<Below> {
  const below: Below = { files: [], broken: new Set(), problems: [] };
  const walk = async (folder: string, prefix: string, left: number): Promise<void> => {
    for (const entry of await entriesOf(folder, below.problems)) {
      if (entry.name.startsWith(".") && !hidden) continue;
      const name = prefix + entry.name;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (left > 1) await walk(path, `${name}/`, left - 1);
        continue;
      }
      const status = entry.isSymbolicLink() ? await statusOf(path) : entry;
      if (status === undefined) below.broken.add(name);
      if (status === undefined || status.isFile()) below.files.push(name);
    }
  };
  await walk(base, "", depth);
  return below;
}

/** The library of globs; most programs are given paths alone, and start without it. */
const globs = async () => (await import("micromatch")).default;

async function expandGlob(pattern: string): Promise<SelectedFiles> {
  const micromatch = await globs();
  const { base, glob } = micromatch.scan(pattern);
  const hidden = /(^|[/,{(|])\./.test(glob);
  const depth = /\*\*|\(|\{[^}]*\//.test(glob) ? Number.POSITIVE_INFINITY : glob.split("/").length;
  const below = await filesBelow(base === "" ? "." : base, depth, hidden);
  const names = micromatch(below.files, glob, { dot: hidden }).sort(compareUtf8);
  const pathOf = (name: string): string => (base === "" ? name : `${base.replace(/\/$/, "")}/${name}`);
  const broken = names.filter((name) => below.broken.has(name));
  return {
    files: names.filter((name) => !below.broken.has(name)).map(pathOf),
    problems: [
      ...below.problems,
      ...broken.map((name) => problemOf(pathOf(name), "the link leads to no file")),
    ],
  };
}

async function select(pattern: string): Promise<SelectedFiles> {
  const refused = (message: string): SelectedFiles => ({
    files: [],
    problems: [problemOf(pattern, message)],
  });
  const status = await statusOf(pattern);
  if (status?.isFile()) return { files: [pattern], problems: [] };
  if (status?.isDirectory())
    return refused(`is a folder; name its files with a glob such as ${pattern}/*.yaml`);
  const { isGlob, negated } = (await globs()).scan(pattern);
  if (!isGlob) return refused("no such file, or it cannot be read");
  if (negated) return refused("a glob that begins with ! selects nothing; name the files that are wanted");
  const found = await expandGlob(pattern);
  return found.files.length + found.problems.length === 0 ? refused("the glob matches no file") : found;
}

/**
 * Finds the files of paths and globs (micromatch syntax). A path that exists is taken as it is, also with glob
 * characters in its name. A path without a file, a folder, and a glob that matches nothing, or that matches a link to
 * nothing, or leads into a folder that cannot be read, are problems.
 */
export async function selectFiles(patterns: readonly string[]): Promise<SelectedFiles> {
  const files: string[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const pattern of patterns) {
    const found = await select(pattern);
    problems.push(...found.problems);
    for (const file of found.files) {
      const path = resolve(file);
      if (!seen.has(path)) files.push(file);
      seen.add(path);
    }
  }
  return { files, problems };
}
