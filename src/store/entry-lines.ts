/**
 * The lines of an entry that are about one key. The others are passed over as bytes: an entry may hold the writes of a
 * whole directory, of which a question about one record needs one line.
 */

import type { KeyWrite, RecordName } from "./port.ts";

/** Returns the JSON values of the line of a key in a text of whole lines; undefined where it has none. */
export function findLine(
  text: string,
  { partition, key }: RecordName,
): readonly [partition: string, key: string, ...rest: string[]] | undefined {
  // JSON has no line break in a text, and a closing quote ends the key: this begins a line of this key, or nothing.
  const start = JSON.stringify([partition, key]).slice(0, -1);
  const isFirst = text.startsWith(start);
  const at = isFirst ? 0 : text.indexOf(`\n${start}`) + 1;
  if (at === 0 && !isFirst) return undefined;
  const end = text.indexOf("\n", at);
  return JSON.parse(text.slice(at, end < 0 ? undefined : end));
}

/** Returns the write of a key in a text of whole lines of a body; undefined where it has none. */
export function findWrite(text: string, name: RecordName): KeyWrite | undefined {
  const line = findLine(text, name);
  return line && { value: line[2] };
}

/** Cuts bytes that come in pieces of any size into texts of whole lines. */
export async function* wholeLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(10) + 1;
    if (end === 0) {
      rest.push(piece);
      continue;
    }
    yield Buffer.concat([...rest, piece.subarray(0, end)]).toString("utf8");
    rest = [piece.subarray(end)];
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield last.toString("utf8");
}
