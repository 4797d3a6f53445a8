/** Joining of many bytes (spec/security §5.3). */

import { Turns } from "./turns.ts";

/** The pieces as one, copied in turns with other work. One piece alone is returned as it is. */
export async function concatInTurns(pieces: readonly Buffer[]): Promise<Buffer> {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const turns = new Turns();
  const bytes = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    end += piece.copy(bytes, end);
    if (turns.spent) await turns.yield();
  }
  return bytes;
}
