/** Answers of other servers, which must not fill the memory. */

/**
 * The whole body of an answer.
 * @param body undefined and null: there is none
 * @param mostBytes largest body
 * @throws Error for a larger one, whose rest is not read; and where reading fails
 */
export async function boundedBody(
  body: AsyncIterable<Uint8Array> | null | undefined,
  mostBytes: number,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.byteLength;
    if (bytes > mostBytes) throw new Error(`more than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
