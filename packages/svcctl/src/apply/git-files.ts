/** Reads files of a commit of the git repository that the working folder is in. */

import { execFile } from "node:child_process";
import { relative, resolve } from "node:path";
import { promisify } from "node:util";
import { textOf } from "../input.ts";

const run = promisify(execFile);
/** Largest output of git that is read, as large as the largest data set. */
const MAX_BYTES = 256 << 20;

/** A file of a commit. */
interface GitFile {
  /** `access/users.yaml`, as seen from the working folder. */
  readonly path: string;
  readonly text: string;
}

/**
 * Returns the files below paths, in the order of their names.
 * @throws Error where there is no git, no repository, no such commit, nothing that is wanted at one of the paths, and for a file that
 *   is no UTF-8
 */
export async function gitFiles(
  cwd: string,
  revision: string,
  paths: readonly string[],
  isWanted: (path: string) => boolean,
): Promise<readonly GitFile[]> {
  // Resolved first: what begins with a dash would be an option of git.
  const commit = (
    await git(cwd, ["rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`])
  ).trim();
  const root = (await git(cwd, ["rev-parse", "--show-toplevel"])).trim();
  const wanted = paths.map((path) => ({ path, name: relative(root, resolve(cwd, path)) }));
  const places = wanted.map(({ name }) => name || ".");
  const listed = await git(root, ["ls-tree", "-r", "-z", "--name-only", commit, "--", ...places]);
  const named = new Set(places);
  const names = listed.split("\0").filter((name) => name !== "" && (named.has(name) || isWanted(name)));
  // What is not there would seem to be named no longer.
  const missing = wanted.find(({ name: at }) => !names.some((name) => isBelow(name, at)));
  if (missing !== undefined) {
    throw new Error(`there is no .yaml, .yml or .json file at ${missing.path} in ${revision}`);
  }
  const files: GitFile[] = [];
  for (const name of names) {
    const path = relative(cwd, resolve(root, name));
    files.push({ path, text: textOf(await gitBytes(root, ["cat-file", "blob", `${commit}:${name}`]), path) });
  }
  return files;
}

function isBelow(name: string, at: string): boolean {
  return at === "" || name === at || name.startsWith(`${at}/`);
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  return (await gitBytes(cwd, args)).toString();
}

async function gitBytes(cwd: string, args: readonly string[]): Promise<Buffer> {
  try {
    return (await run("git", [...args], { cwd, maxBuffer: MAX_BYTES, encoding: "buffer" })).stdout;
  } catch (error) {
    const { code, stderr = Buffer.alloc(0) } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    if (code === "ENOENT") throw new Error("--git needs the program git, which is not installed");
    const [reason = ""] = stderr.toString().trim().split("\n");
    throw new Error(`git: ${reason.replace(/^fatal: /, "") || "the command failed"}`);
  }
}
