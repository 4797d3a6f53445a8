/**
 * Unwraps a body that is signed in chunks (`aws-chunked`), and verifies it on the way (spec/exchange §6). What was read
 * last is held back until all is verified, so that whoever writes the rest of a body that turns out to be damaged has not
 * written all of it.
 */

import { createHash, type Hash, hash } from "node:crypto";
import type { ChunkSignatures } from "../../identity/identity.ts";
import type { Checksum } from "./checksums.ts";

/** The fault of a body. */
type StreamFault = "signature" | "checksum" | "malformed" | "cut";

/** A body that is not what was signed. */
export class DamagedStream extends Error {
  readonly fault: StreamFault;

  constructor(fault: StreamFault, message: string) {
    super(message);
    this.name = "DamagedStream";
    this.fault = fault;
  }
}

/** The trailer that a request announces. */
export interface ExpectedTrailer {
  /** In lower case. */
  readonly name: string;
  readonly checksum: Checksum;
}

/** Options of {@link SignedChunks}. */
interface SignedChunksOptions {
  readonly chain: ChunkSignatures;
  /** `x-amz-decoded-content-length`. */
  readonly bytes: number;
  /** Undefined for the form without a trailer. */
  readonly trailer: ExpectedTrailer | undefined;
}

const MOST_LINE = 4096;
const HEADER = /^([0-9a-fA-F]{1,12});chunk-signature=([0-9a-f]{64})\r\n$/;
const TRAILER_SIGNATURE = /^x-amz-trailer-signature:([0-9a-f]{64})$/;
/** S3 refuses a chunk below this that is not the last; some are let pass, since each costs as much as a large one. */
const SMALL_CHUNK = 8192;
const MOST_SMALL_CHUNKS = 1024;
const NEWLINE = 10;

/** Reads one body. */
export class SignedChunks {
  readonly #chain: ChunkSignatures;
  readonly #trailer: ExpectedTrailer | undefined;
  #state: "header" | "data" | "dataEnd" | "trailer" | "end" = "header";
  /** Bytes that the body still has to have. */
  #left: number;
  #line = "";
  /** Bytes of the chunk that have not come. */
  #ofChunk = 0;
  #small = 0;
  #given = "";
  #digest: Hash = createHash("sha256");
  #held: Buffer | undefined;

  constructor({ chain, bytes, trailer }: SignedChunksOptions) {
    this.#chain = chain;
    this.#left = bytes;
    this.#trailer = trailer;
  }

  /**
   * Takes the next bytes; returns the content that may be passed on, which is not verified to its end.
   * @throws DamagedStream
   */
  take(bytes: Buffer): readonly Buffer[] {
    const content: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) at = this.#step(bytes, at, content);
    return content;
  }

  /**
   * Ends the body; returns the rest of its content. Everything is verified now.
   * @throws DamagedStream
   */
  end(): Buffer | undefined {
    if (this.#state === "trailer") this.#verifyTrailer();
    else if (this.#state !== "end") throw new DamagedStream("cut", "the body ends before its last chunk");
    return this.#held;
  }

  /** True if some of the bytes, as they were taken, are held back. */
  isHolding(bytes: Buffer): boolean {
    return this.#held?.buffer === bytes.buffer;
  }

  /** Takes some of the bytes from a place on; returns the place behind them. */
  #step(bytes: Buffer, at: number, content: Buffer[]): number {
    if (this.#state === "data") return this.#data(bytes, at, content);
    if (this.#state === "header") return this.#header(bytes, at);
    const end = this.#state === "dataEnd" ? at + 1 : bytes.length;
    this.#gather(bytes, at, end, this.#state === "trailer" ? "the trailer" : "the end of a chunk");
    if (this.#state === "dataEnd") this.#dataEnd();
    else if (this.#state === "end" && !"\r\n".startsWith(this.#line)) {
      throw new DamagedStream("malformed", "something follows the last chunk");
    }
    return end;
  }

  #header(bytes: Buffer, at: number): number {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline + 1;
    this.#gather(bytes, at, end, "the header of a chunk");
    if (newline < 0) return end;
    const [, size, given] = HEADER.exec(this.#line) ?? [];
    if (size === undefined || given === undefined) {
      throw new DamagedStream("malformed", "the header of a chunk cannot be read");
    }
    this.#line = "";
    this.#given = given;
    this.#begin(Number.parseInt(size, 16));
    return end;
  }

  #begin(size: number): void {
    if (size > this.#left)
      throw new DamagedStream("malformed", "there is more than x-amz-decoded-content-length");
    this.#left -= size;
    this.#ofChunk = size;
    if (size > 0) {
      if (size < SMALL_CHUNK && ++this.#small > MOST_SMALL_CHUNKS) {
        throw new DamagedStream("malformed", `there are too many chunks of less than ${SMALL_CHUNK} bytes`);
      }
      this.#state = "data";
      return;
    }
    if (this.#left > 0) throw new DamagedStream("cut", "there is less than x-amz-decoded-content-length");
    this.#verify();
    this.#state = this.#trailer === undefined ? "end" : "trailer";
  }

  #data(bytes: Buffer, at: number, content: Buffer[]): number {
    const piece = bytes.subarray(at, at + this.#ofChunk);
    this.#ofChunk -= piece.length;
    this.#digest.update(piece);
    this.#trailer?.checksum.update(piece);
    if (this.#held !== undefined) content.push(this.#held);
    this.#held = piece;
    if (this.#ofChunk === 0) this.#state = "dataEnd";
    return at + piece.length;
  }

  #dataEnd(): void {
    if (!"\r\n".startsWith(this.#line))
      throw new DamagedStream("malformed", "a chunk does not end where it says");
    if (this.#line.length < 2) return;
    this.#line = "";
    this.#verify();
    this.#state = "header";
  }

  #verify(): void {
    const digest = this.#digest.digest("hex");
    this.#digest = createHash("sha256");
    if (!this.#chain.isNext(digest, this.#given)) {
      throw new DamagedStream("signature", "the signature of a chunk does not match it");
    }
  }

  #verifyTrailer(): void {
    const trailer = this.#trailer as ExpectedTrailer;
    // Some clients end a line of the trailer with a newline alone, and put an empty line before the signature.
    const lines = this.#line.split(/\r?\n/).filter((line) => line !== "");
    const [, given] = TRAILER_SIGNATURE.exec(lines.pop() ?? "") ?? [];
    if (given === undefined || !this.#line.endsWith("\n")) {
      throw new DamagedStream("cut", "the trailer has no signature");
    }
    const signed = hash("sha256", Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1"));
    if (!this.#chain.isTrailer(signed, given)) {
      throw new DamagedStream("signature", "the signature of the trailer does not match it");
    }
    const [line, another] = lines;
    const colon = line?.indexOf(":") ?? -1;
    if (line === undefined || another !== undefined || line.slice(0, colon).toLowerCase() !== trailer.name) {
      throw new DamagedStream("malformed", "the trailer is not what x-amz-trailer announces");
    }
    if (line.slice(colon + 1).trim() !== trailer.checksum.digest()) {
      throw new DamagedStream("checksum", `${trailer.name} does not match the content`);
    }
  }

  #gather(bytes: Buffer, start: number, end: number, what: string): void {
    if (this.#line.length + end - start > MOST_LINE) {
      throw new DamagedStream("malformed", `${what} is longer than ${MOST_LINE} bytes`);
    }
    this.#line += bytes.toString("latin1", start, end);
  }
}
