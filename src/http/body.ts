/** Reading whole request bodies where a promise does not matter. */

import type { Readable } from "node:stream";

/**
 * The bytes of a body.
 * @param maxBytes above which reading ends with the error that `tooLarge` makes; the stream is left as it is, since
 *   destroying it would take the answer with it.
 * @throws also when the caller goes away half-way.
 */
export function readBody(body: Readable, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let received = 0;
    const stop = () => {
      body.off("data", onData).off("end", onEnd).off("close", onClose);
    };
    const onData = (piece: Buffer) => {
      received += piece.length;
      if (received <= maxBytes) pieces.push(piece);
      else {
        stop();
        reject(tooLarge());
      }
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(pieces, received));
    };
    const onClose = () => {
      stop();
      reject(new Error("the caller went away"));
    };
    body.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}
