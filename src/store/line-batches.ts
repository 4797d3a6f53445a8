/** Texts of lines that are stored in pieces: one piece is held at a time, and a few of its lines as texts. */

const LINE_END = 10;
const NOTHING = Buffer.alloc(0);

/** The lines of all pieces, up to `most` that end in the same piece together. What follows the last line end is a line as well, unless it is empty. */
export async function* linesInBatches(
  pieces: AsyncIterable<Buffer>,
  most: number,
): AsyncGenerator<readonly string[]> {
  let begun: Buffer = NOTHING;
  let lines: string[] = [];
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, start)) {
      const line = piece.subarray(start, end);
      lines.push((begun.length > 0 ? Buffer.concat([begun, line]) : line).toString("utf8"));
      [begun, start] = [NOTHING, end + 1];
      if (lines.length < most) continue;
      yield lines;
      lines = [];
    }
    // Copied: a view would hold the whole piece.
    begun = Buffer.concat([begun, piece.subarray(start)]);
    if (lines.length > 0) yield lines;
    lines = [];
  }
  if (begun.length > 0) yield [begun.toString("utf8")];
}
