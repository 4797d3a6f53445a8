/** The program with lines of its sources replaced as it loads them. */

import { readFileSync } from "node:fs";
import type { Edit } from "../journal/model/biases.ts";
import { SOURCE_MAIN } from "./program.ts";

const ROOT = new URL("../../", import.meta.url);

/** A start of the program. */
interface Started {
  readonly env: Record<string, string>;
  /** The entry; undefined: as tests start it otherwise. */
  readonly main: string | undefined;
}

/**
 * The start of the program with these edits.
 * @param options options of Node besides
 * @throws Error where a file has no such line
 */
export function withEdits(edits: readonly Edit[], options = process.env["NODE_OPTIONS"] ?? ""): Started {
  if (edits.length === 0) return { env: { NODE_OPTIONS: options }, main: undefined };
  for (const { file, from } of edits)
    if (!readFileSync(new URL(file, ROOT), "utf8").includes(from)) throw new Error(`${file} has no ${from}`);
  const replacer = new URL("../journal/model/replace-sources.ts", import.meta.url).href;
  const env = { NODE_OPTIONS: `${options} --import=${replacer}`, EDITS: JSON.stringify(edits) };
  return { env, main: SOURCE_MAIN };
}
