/** A request whose body may go past its stream. */

import { IncomingMessage } from "node:http";

/** Whoever takes the pieces of a body past its stream. */
interface PieceReader {
  /** Called with itself and a piece, or null at the end of the body; undefined where pieces go into the stream. */
  readonly onPiece: ((reader: never, piece: Buffer | null) => void) | undefined;
  /** Told of the bytes of each piece. */
  readonly server: { readonly smallPieces: { note(bytes: number): void } };
}

/** Pieces that the stream of a body may have, and the bytes that more must have on average: the shortest line has four. */
const FREE_PIECES = 1024;
const BYTES_PER_PIECE = 4;

/** `node:http`'s request with a way past its stream. */
export class IncomingRequest extends IncomingMessage {
  /** The exchange of the request, once there is one. */
  exchange: PieceReader | undefined = undefined;
  #pieces = 0;
  #bytes = 0;
  /** Marks the stream as read and closed: what `node:http` does for requests without a body, where asked to. */
  declare readonly _dumpAndCloseReadable?: () => void;

  /**
   * Hands pieces of a body straight to the exchange where it wants them: the stream costs a tenth of a small
   * request.
   */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    const { exchange } = this;
    if (piece !== null) exchange?.server.smallPieces.note(piece.length);
    if (exchange?.onPiece === undefined) {
      // Each piece costs the stream microseconds, and tens of thousands come in one turn.
      if (piece !== null && this.#isInBits(piece)) return true;
      return super.push(piece, encoding);
    }
    // Else the stream would be emptied after the answer. Where the method is missing, it is.
    if (piece === null) this._dumpAndCloseReadable?.();
    exchange.onPiece(exchange as never, piece);
    return true;
  }

  /** True where the stream is cut, because it came in too many pieces of a few bytes. */
  get isInBits(): boolean {
    return this.#pieces > FREE_PIECES && this.#bytes < this.#pieces * BYTES_PER_PIECE;
  }

  #isInBits(piece: Buffer): boolean {
    if (this.isInBits) return true;
    this.#pieces++;
    this.#bytes += piece.length;
    return this.isInBits;
  }
}
