/**
 * A connection for one request, whose answer goes from the socket into a file through one block of memory. A stream would
 * make a new buffer for each read: with 1 GB that costs more than the network and the disk together.
 */

import { writeSync } from "node:fs";
import type { ClientRequestArgs, IncomingMessage } from "node:http";
import { connect, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";

/** Size of a block in bytes: what was read is still in the cache of the processor when it is written. */
const BLOCK_BYTES = 256 * 1024;

/** Blocks of memory that connections use one after the other. */
export class BlockPool {
  readonly #spare: Buffer[] = [];

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  give(block: Buffer): void {
    this.#spare.push(block);
  }
}

/** The place in a file for the bytes of an answer. */
export interface FileRange {
  /** Descriptor of the open file. */
  readonly file: number;
  /** Position of the first byte. */
  readonly start: number;
  /** Number of bytes. */
  readonly length: number;
  /** Called with the number of bytes of each block that arrives. */
  readonly onReceived: (bytes: number) => void;
  /** Called with a position below which everything from `start` on is in the file. */
  readonly onWritten: (end: number) => void;
  /** Called behind each block: while the promise is open, nothing more is read, and the sender has to wait. */
  readonly pause?: () => Promise<void> | undefined;
}

/** One connection. It is used for one request and then closed. */
export class DirectConnection {
  readonly #pool: BlockPool;
  #socket: Socket | undefined;
  #take: ((block: Buffer) => boolean) | undefined;

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** Opens it: the `createConnection` of a request. */
  open({ host, port }: ClientRequestArgs, secure: boolean): Socket {
    const block = this.#pool.take();
    const callback = (length: number): boolean => this.#onBlock(block.subarray(0, length));
    const onread: OnReadOpts = { buffer: block, callback };
    const options = { host: host ?? "localhost", port: Number(port), onread };
    const socket = secure ? connectSecurely({ ...options, ...nameOf(options.host) }) : connect(options);
    // Not before: a read may be under way.
    socket.once("close", () => this.#pool.give(block));
    this.#socket = socket;
    return socket;
  }

  /**
   * Writes the body of an answer into a file. The body must have exactly the length of the range. A block is written
   * before the next one is read: a thread for that would cost as much as the writing.
   * @throws Error with code ECONNRESET when the connection ends early; the error of the file or of the socket
   */
  receive(answer: IncomingMessage, range: FileRange): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) throw new Error("the connection is not open");
    const { start, length } = range;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let received = 0;
    let isOver = false;
    const end = (error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      socket.destroy();
      if (error === undefined) resolve();
      else reject(error);
    };
    const put = (block: Buffer): void => {
      const bytes = block.subarray(0, length - received);
      range.onReceived(bytes.length);
      writeWhole(range.file, bytes, start + received);
      received += bytes.length;
      range.onWritten(start + received);
      if (received === length) end();
    };
    this.#take = (block) => {
      try {
        if (!isOver) put(block);
      } catch (error) {
        end(error);
      }
      if (isOver) return false;
      const pause = range.pause?.();
      void pause?.then(() => isOver || socket.resume());
      return pause === undefined;
    };
    socket.once("close", () => {
      end(socket.errored ?? Object.assign(new Error("the connection ended"), { code: "ECONNRESET" }));
    });
    answer.on("error", () => {});
    // What came in one block with the head has passed the parser already.
    const goesOn = this.#take((answer.read() as Buffer | null) ?? Buffer.alloc(0));
    if (goesOn) socket.resume();
    return promise;
  }

  /** Before the body is asked for, bytes take the usual way; reading stops after each block, so that none is ahead. */
  #onBlock(block: Buffer): boolean {
    if (this.#take !== undefined) return this.#take(block);
    const socket = this.#socket;
    socket?.push(Buffer.from(block));
    setImmediate(() => {
      if (this.#take === undefined && socket?.destroyed === false) socket.resume();
    });
    return false;
  }
}

/** The name that a server has to prove: an address is none. */
function nameOf(host: string): { servername?: string; ALPNProtocols: string[] } {
  return { ...(isIP(host) === 0 && { servername: host }), ALPNProtocols: ["http/1.1"] };
}

/** Writes bytes whole: a disk may take less than it was given. */
function writeWhole(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}
