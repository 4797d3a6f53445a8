/** Texts that a command reads: from a file, or from standard input where its name is `-`. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
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

/** Reads text in UTF-8. Throws as {@link readBytes}, and an Error where it is in another encoding. */
export async function readInput(context: CommandContext, file: string): Promise<string> {
  return textOf(await readBytes(context, file), file === "-" ? "standard input" : file);
}

/**
 * The text of bytes in UTF-8. In another encoding, names would become those of something else.
 * @param name what the bytes come from, for the message
 * @throws Error where they are in another encoding
 */
export function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error(`${safeText(name)} is not UTF-8`, { cause });
  }
}
