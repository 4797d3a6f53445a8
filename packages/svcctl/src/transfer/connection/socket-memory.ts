/**
 * Gives back the memory of what sockets read. The parser of answers copies contents out of it, as far as one knows from
 * looking: where a content lies in what its socket read, that is left to the collector.
 */

import type { Socket } from "node:net";
import { giveBack } from "@svc-authorizer/commands/returned-memory.ts";

/** The memory of what the sockets of some connections read. */
export class SocketMemory {
  readonly #followed = new WeakSet<Socket>();
  /** Memory of what was read before anything of a content was seen. */
  readonly #read = new WeakSet<ArrayBufferLike>();
  /** True if contents are copies of what was read; undefined until one was seen. */
  #copies: boolean | undefined;

  /** Follows a socket, before it reads what the pieces of {@link saw} come from. */
  follow(socket: Socket): void {
    if (this.#followed.has(socket)) return;
    this.#followed.add(socket);
    let before: Buffer | undefined;
    // It hears of a piece before the parser does, and of the next one when the parser is done with this.
    socket.prependListener("data", (piece: Buffer) => {
      if (this.#copies === undefined) this.#read.add(piece.buffer);
      else if (this.#copies) {
        if (before !== undefined) giveBack(before);
        before = piece;
      }
    });
  }

  /** Notes a piece of a content of a socket that is followed. */
  saw(piece: Buffer): void {
    this.#copies ??= !this.#read.has(piece.buffer);
  }
}
