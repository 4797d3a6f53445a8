/** The folder that a command on linked folders works on. */

import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { CommandCall } from "../command.ts";
import { gitRoot } from "./files/git.ts";

/**
 * The folder of an argument, absolute; without one the working folder.
 * @param fromGitRoot without an argument, the root of the git work tree that the working folder is in
 */
export async function folderOf(
  { context, args }: CommandCall,
  index: number,
  fromGitRoot = false,
): Promise<string> {
  const { cwd } = context.edge;
  const given = args[index];
  if (given === undefined) return (fromGitRoot ? await gitRoot(cwd) : undefined) ?? resolve(cwd);
  const expanded = given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
  return resolve(cwd, expanded);
}
