/** Checksums in the trailer of a body (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html). */

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { crc32c, crc64nvme, type Halves } from "./crc.ts";

/** A checksum under way. */
export interface Checksum {
  update(bytes: Buffer): void;
  /** In Base64, as a trailer has it. */
  digest(): string;
}

const KINDS: ReadonlyMap<string, () => Checksum> = new Map([
  ["x-amz-checksum-crc32", () => new Crc32(crc32)],
  ["x-amz-checksum-crc32c", () => new Crc32(crc32c)],
  ["x-amz-checksum-crc64nvme", () => new Crc64()],
  ["x-amz-checksum-sha1", () => hashed("sha1")],
  ["x-amz-checksum-sha256", () => hashed("sha256")],
]);

/** Begins the checksum that a trailer names; undefined for a name that is none. @param name in lower case */
export function beginChecksum(name: string): Checksum | undefined {
  return KINDS.get(name)?.();
}

class Crc32 implements Checksum {
  readonly #next: (bytes: Buffer, before: number) => number;
  #crc = 0;

  constructor(next: (bytes: Buffer, before: number) => number) {
    this.#next = next;
  }

  update(bytes: Buffer): void {
    this.#crc = this.#next(bytes, this.#crc);
  }

  digest(): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#crc);
    return bytes.toString("base64");
  }
}

class Crc64 implements Checksum {
  #crc: Halves = { low: 0, high: 0 };

  update(bytes: Buffer): void {
    this.#crc = crc64nvme(bytes, this.#crc);
  }

  digest(): string {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(this.#crc.high);
    bytes.writeUInt32BE(this.#crc.low, 4);
    return bytes.toString("base64");
  }
}

function hashed(algorithm: string): Checksum {
  const hash = createHash(algorithm);
  return {
    update: (bytes) => void hash.update(bytes),
    digest: () => hash.digest("base64"),
  };
}
