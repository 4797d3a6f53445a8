/** Reading of a file of lost entries (journal.md §3). */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { AuthorizerError } from "../../errors.ts";
import type { LostLine } from "../../journal/lost-entries.ts";

/**
 * The lines of a file that a node wrote when its log went back.
 * @throws AuthorizerError "invalid_request" for a file that is none, or not whole
 */
export async function* readLostFile(file: string): AsyncGenerator<LostLine> {
  let last: LostLine | undefined;
  for await (const text of createInterface({ input: opened(file) })) {
    const line = lineOf(text, file);
    if (last === undefined && line.kind !== "lost") throw notOne(file);
    last = line;
    yield line;
  }
  if (last?.kind === "end") return;
  throw last === undefined ? notOne(file) : new AuthorizerError("invalid_request", `${file} is cut short`);
}

function opened(file: string) {
  const stream = createReadStream(file);
  stream.on("error", () => undefined);
  return stream;
}

function lineOf(text: string, file: string): LostLine {
  try {
    return JSON.parse(text) as LostLine;
  } catch (cause) {
    throw new AuthorizerError("invalid_request", `${file} has a line that is no JSON`, { cause });
  }
}

function notOne(file: string): AuthorizerError {
  return new AuthorizerError("invalid_request", `${file} has no lost entries, or cannot be read`);
}
