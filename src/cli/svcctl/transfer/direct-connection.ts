/**
 * A connection for one request, whose answer goes from the socket into a file through a few blocks of memory. A stream
 * would make a new buffer for each read: with 1 GB that costs more than the network and the disk together.
 */

import { write } from "node:fs";
import type { ClientRequestArgs, IncomingMessage } from "node:http";
import { connect, isIP, type OnReadOpts, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";

/** Size of a block in bytes, and how many wait for the disk at most before the sender has to wait. */
const BLOCK_BYTES = 256 * 1024;
const BLOCKS = 4;

/** Blocks of all connections, above which a further connection gets as few as it can work with. */
const MANY_BLOCKS = 128;

/** Blocks of memory that connections use one after the other. */
export class BlockPool {
  readonly #spare: Buffer[] = [];
  #made = 0;

  /** Blocks for a connection beside the one that it reads into. */
  get share(): number {
    return this.#made < MANY_BLOCKS || this.#spare.length > BLOCKS ? BLOCKS : 1;
  }

  take(): Buffer {
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    this.#made += 1;
    return Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  give(blocks: readonly Buffer[]): void {
    this.#spare.push(...blocks);
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
  readonly #free: Buffer[] = [];
  #current: Buffer | undefined;
  #socket: Socket | undefined;
  #take: ((block: Buffer, length: number) => boolean) | undefined;

  constructor(pool: BlockPool) {
    this.#pool = pool;
  }

  /** Opens it: the `createConnection` of a request. */
  open({ host, port }: ClientRequestArgs, secure: boolean): Socket {
    const onread: OnReadOpts = {
      buffer: () => this.#nextBlock(),
      callback: (length, block) => this.#onBlock(block as Buffer, length),
    };
    const options = { host: host ?? "localhost", port: Number(port), onread };
    this.#socket = secure ? connectSecurely({ ...options, ...nameOf(options.host) }) : connect(options);
    return this.#socket;
  }

  /**
   * Writes the body of an answer into a file. The body must have exactly the length of the range.
   * @throws Error with code ECONNRESET when the connection ends early; the error of the file or of the socket
   */
  receive(answer: IncomingMessage, range: FileRange): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) throw new Error("the connection is not open");
    const { start, length } = range;
    return new Promise((resolve, reject) => {
      let received = 0;
      let failure: Error | undefined;
      const underWay = new Set<number>();
      // Not before the disk has everything: the file must not be closed under a write.
      const settle = (): void => {
        if (underWay.size > 0 || (failure === undefined && received < length)) return;
        this.#take = undefined;
        socket.destroy();
        this.#pool.give(this.#free.splice(0));
        if (failure === undefined) resolve();
        else reject(failure);
      };
      const fail = (error: Error): void => {
        failure ??= error;
        socket.destroy();
        settle();
      };
      let pause: Promise<void> | undefined;
      const goOn = (): void => {
        if (received >= length || pause !== undefined) return;
        pause = range.pause?.();
        if (pause === undefined) return void socket.resume();
        void pause.then(() => {
          pause = undefined;
          goOn();
        });
      };
      const put = (block: Buffer, bytes: number): void => {
        const taken = Math.min(bytes, length - received);
        const position = start + received;
        received += taken;
        underWay.add(position);
        range.onReceived(taken);
        writeAll(range.file, block, taken, position, (error) => {
          underWay.delete(position);
          this.#release(block);
          if (error) return fail(error);
          range.onWritten(Math.min(start + received, ...underWay));
          settle();
          goOn();
        });
      };
      socket.once("close", () => {
        const lost = Object.assign(new Error("the connection ended"), { code: "ECONNRESET" });
        if (received < length) fail(socket.errored ?? lost);
      });
      answer.on("error", () => {});
      // What came in one block with the head has passed the parser already.
      const first = (answer.read() as Buffer | null) ?? Buffer.alloc(0);
      this.#take = (block, bytes) => {
        put(block, bytes);
        // The block that follows this one is taken even where reading stops.
        return this.#free.length > 1 && received < length && pause === undefined;
      };
      const { share } = this.#pool;
      while (this.#free.length < share) this.#free.push(this.#pool.take());
      if (first.length > 0) put(first, first.length);
      settle();
      if (received < length) socket.resume();
    });
  }

  /** The block for the next read. */
  #nextBlock(): Buffer {
    this.#current ??= this.#free.pop() ?? this.#pool.take();
    return this.#current;
  }

  #release(block: Buffer): void {
    if (block.length === BLOCK_BYTES) this.#free.push(block);
  }

  /** Before the body is asked for, bytes take the usual way; reading stops after each block, so that none is ahead. */
  #onBlock(block: Buffer, length: number): boolean {
    if (this.#take !== undefined) {
      this.#current = undefined;
      return this.#take(block, length);
    }
    const socket = this.#socket;
    socket?.push(Buffer.from(block.subarray(0, length)));
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

/** Writes a block whole: a disk may take less than it was given. */
function writeAll(
  file: number,
  block: Buffer,
  length: number,
  position: number,
  done: (error: Error | null) => void,
  offset = 0,
): void {
  write(file, block, offset, length - offset, position + offset, (error, written) => {
    if (error || offset + written === length) return done(error);
    writeAll(file, block, length, position, done, offset + written);
  });
}
