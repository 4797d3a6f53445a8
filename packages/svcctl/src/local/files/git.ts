/** Asks git about a folder. Without git, no folder is in a git repository. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The output of git in a folder; undefined where it fails, or is not installed. */
async function git(folder: string, ...args: readonly string[]): Promise<string | undefined> {
  try {
    return (await run("git", [...args], { cwd: folder })).stdout.trim();
  } catch {
    return undefined;
  }
}

/** The root of the work tree that a folder is in. */
export function gitRoot(folder: string): Promise<string | undefined> {
  return git(folder, "rev-parse", "--show-toplevel");
}

/** Remotes whose commits have a page. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ["github.com", "/commit/"],
  ["gitlab.com", "/-/commit/"],
  ["bitbucket.org", "/commits/"],
]);
const REMOTE = /(?<server>[\w.:]+)[/:](?<owner>[\w.-]+)\/(?<project>[\w.-]+)\.git$/;

/** Metadata that names the git commit of a folder, and its page; nothing outside of git. */
export async function gitMetadata(folder: string): Promise<Readonly<Record<string, string>>> {
  const commit = await git(folder, "rev-parse", "--short", "HEAD");
  if (commit === undefined) return {};
  const origin = (await git(folder, "remote", "get-url", "origin")) ?? "";
  const { server = "", owner = "", project = "" } = REMOTE.exec(origin)?.groups ?? {};
  const page = PAGES.get(server);
  return {
    git_commit_id: commit,
    ...(page !== undefined && {
      [`::lakefs::${server}::url[url:ui]`]: `https://${server}/${owner}/${project}${page}${commit}`,
    }),
  };
}
