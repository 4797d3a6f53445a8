/** Sends bytes of a file as the body of a request, through two blocks of memory that are used again and again. */

import { type FileHandle, open } from "node:fs/promises";
import type { ClientRequest } from "node:http";

/** Size of a block in bytes: one is read while the other one is sent. */
const BLOCK_BYTES = 256 * 1024;

/** Bytes of a file. */
interface FileBytes {
  readonly file: string;
  /** Position of the first byte. */
  readonly start: number;
  /** Position behind the last byte. */
  readonly end: number;
  /** Called with each block before it is sent; it is overwritten afterwards. */
  readonly onBlock: (block: Buffer) => void;
}

/**
 * Sends them and ends the request, or stops where the request is over before.
 * @throws Error of the file; one that says so where the file became shorter
 */
export async function sendFile(request: ClientRequest, bytes: FileBytes): Promise<void> {
  if (bytes.start === bytes.end) return void request.end();
  const handle = await open(bytes.file, "r");
  try {
    await sendBlocks(request, handle, bytes);
  } finally {
    await handle.close();
  }
}

async function sendBlocks(request: ClientRequest, handle: FileHandle, bytes: FileBytes): Promise<void> {
  const { file, start, end, onBlock } = bytes;
  const size = Math.min(BLOCK_BYTES, end - start);
  const blocks = [
    Buffer.allocUnsafeSlow(size),
    Buffer.allocUnsafeSlow(end - start > size ? size : 0),
  ] as const;
  const over = new Promise<void>((resolve) => {
    request.once("close", resolve);
    request.once("response", () => resolve());
  });
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  let sent: Promise<void> | undefined;
  for (let [at, turn] = [start, 0]; at < end; turn = 1 - turn) {
    const block = turn === 0 ? blocks[0] : blocks[1];
    const { bytesRead } = await handle.read(block, 0, Math.min(size, end - at), at);
    // A server would wait for what lacks.
    if (bytesRead === 0) throw new Error(`${file}: the file changed while it was read`);
    await sent;
    if (isOver) return;
    at += bytesRead;
    const filled = block.subarray(0, bytesRead);
    onBlock(filled);
    if (at === end) request.end(filled);
    else sent = Promise.race([over, written(request, filled)]);
  }
}

/** Settles when a block is on its way. A failure shows at the request. */
function written(request: ClientRequest, block: Buffer): Promise<void> {
  return new Promise((resolve) => {
    request.write(block, () => resolve());
  });
}
