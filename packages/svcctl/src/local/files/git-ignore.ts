/** The section of `.gitignore` that keeps linked folders out of git. The data server's own tool writes the same one. */

import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { writeWhole } from "../../whole-file.ts";
import { INDEX_NAME } from "./index-file.ts";

const MARKER = "ignored by lakectl local";
const BEGIN = `# ${MARKER}`;
const END = `# End ${MARKER}`;

/**
 * Adds a folder to the section, and its index file as an exception.
 * @param root of the work tree
 * @returns the path of `.gitignore`
 */
export async function ignoreInGit(root: string, folder: string): Promise<string> {
  const file = join(root, ".gitignore");
  const own = [join(relative(root, folder), "*"), `!${join(relative(root, folder), INDEX_NAME)}`];
  // A byte a character, so that what is not UTF-8 stays what it is.
  const entries = own.map((entry) => Buffer.from(entry).toString("latin1"));
  const before = await readFile(file, "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "";
  });
  await writeWhole(file, Buffer.from(withEntries(before, entries), "latin1"), 0o644);
  return file;
}

/** The text with the entries at the end of the section, which is made at the end of the text where it lacks. */
function withEntries(text: string, entries: readonly string[]): string {
  const lines = text === "" ? [] : text.split("\n");
  const found = lines.findIndex((line) => line.startsWith(BEGIN));
  const start = found < 0 ? lines.length : found;
  const length = lines.slice(start).findIndex((line) => line === "" || line.startsWith(END));
  const end = found < 0 ? start : length < 0 ? lines.length : start + length + 1;
  const kept = lines
    .slice(start, end)
    .filter((line) => line !== "" && !line.startsWith("#") && !entries.includes(line));
  lines.splice(start, end - start, BEGIN, ...kept, ...entries, END);
  if (lines.at(-1) !== "") lines.push("");
  return lines.join("\n");
}
