/** Texts that a command reads: from a file, or from standard input where its name is `-`. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { openFault } from "@svc-authorizer/commands/settings/settings-file.ts";
import type { CommandContext } from "./command-context.ts";

/** Reads bytes. Throws an Error when the file cannot be read. */
export async function readBytes({ edge }: CommandContext, file: string): Promise<Buffer> {
  if (file === "-") return buffer(edge.stdin);
  try {
    return await readFile(resolve(edge.cwd, file));
  } catch (error) {
    throw new Error(openFault(file, error), { cause: error });
  }
}

/** Reads text in UTF-8. Throws as {@link readBytes}. */
export async function readInput(context: CommandContext, file: string): Promise<string> {
  return (await readBytes(context, file)).toString("utf8");
}
