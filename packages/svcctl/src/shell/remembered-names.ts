/** Remembers for seconds what a server said, because a person presses the tab key several times. */

import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { homeOf } from "@svc-authorizer/commands/environment.ts";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { isObject } from "../api/pages.ts";
import type { CommandContext } from "../command-context.ts";

const FRESH_MS = 10_000;

/**
 * Returns what was asked for the same words some seconds ago, else asks.
 * @param words say what is asked, of which server, and by whom
 */
export async function rememberedNames(
  { env }: CommandContext,
  words: readonly string[],
  ask: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const folder = join(homeOf(env), ".cache", "svcctl");
  const file = join(folder, "names.json");
  const question = createHash("sha256").update(JSON.stringify(words)).digest("hex");
  const known = await namesIn(file, question).catch(() => undefined);
  if (known !== undefined) return known;
  const names = await ask();
  // Completion works without the file too. It holds the last answer alone, so it does not grow.
  try {
    makeFolder(folder, 0o700);
    await writeFile(file, JSON.stringify({ question, names }), { mode: 0o600 });
  } catch {}
  return names;
}

async function namesIn(file: string, question: string): Promise<readonly string[] | undefined> {
  const { mtimeMs } = await stat(file);
  if (Date.now() - mtimeMs > FRESH_MS) return undefined;
  const kept: unknown = JSON.parse(await readFile(file, "utf8"));
  if (!isObject(kept) || kept["question"] !== question) return undefined;
  const { names } = kept;
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : undefined;
}
