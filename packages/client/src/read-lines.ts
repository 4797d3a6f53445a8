/** Reads lines of JSON from an answer that does not end. */

import { readText } from "./read-text.ts";

/** A line longer than this is no line of ours: a policy has at most some hundred KiB. */
const LONGEST_LINE = 64 * 1024 * 1024;

/**
 * Yields the lines of an answer.
 * @param silence milliseconds without a byte after which the connection counts as dead
 * @throws ClientError after that silence
 */
export async function* readLines(response: Response, silence: number): AsyncGenerator<string> {
  let pieces: string[] = [];
  let length = 0;
  for await (const piece of readText(response, silence)) {
    const lines = piece.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      const whole = pieces.length === 0 ? line : pieces.join("") + line;
      pieces = [];
      length = 0;
      if (whole !== "") yield whole;
    }
    if (last === "") continue;
    pieces.push(last);
    length += last.length;
    if (length > LONGEST_LINE) throw new Error("a line of the stream does not end");
  }
}
