/** Symbolic links, which the data server keeps as empty objects whose metadata names the target. */

import { rm, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";

/** Metadata with the target. */
export const SYMLINK_TARGET = "::lakefs::symlink-target";

/** Makes a link in place of what is there. */
export async function placeSymlink(target: string, file: string): Promise<void> {
  makeFolder(dirname(file));
  await rm(file, { force: true });
  await symlink(target, file);
}
