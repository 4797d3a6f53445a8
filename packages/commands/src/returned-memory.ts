/**
 * Memory of a body that passes through, given back at once. The collector counts such memory and looks through the whole
 * heap for each 64 MB of it: for bodies of gigabytes that costs more than all the rest, and keeps what was sent long ago.
 */

/**
 * Ends a piece whose bytes nobody reads any more; all its parts are empty then. A piece that shares its memory with
 * others is left alone.
 */
export function giveBack(piece: Buffer): void {
  const { buffer } = piece;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === piece.length) buffer.transfer(0);
}
