/** Signs bodies in chunks as Amazon's documentation describes it, step by step and with nothing checked. */

import { createHash, createHmac } from "node:crypto";

/** A body to sign. */
interface Chunked {
  readonly secret: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly timestamp: string;
  /** Date, region, service, terminator. */
  readonly scope: readonly string[];
  /** The signature of the request. */
  readonly seed: string;
  readonly chunks: readonly Buffer[];
  /** Name and value in the trailer. */
  readonly trailer?: readonly [name: string, value: string] | undefined;
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** The parts of a body on the wire: header, data and end of each chunk, then the trailer. */
export function signedParts({ secret, timestamp, scope, seed, chunks, trailer }: Chunked): Buffer[] {
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`) as Buffer;
  const when = `${timestamp}\n${scope.join("/")}`;
  let last = seed;
  const parts: Buffer[] = [];
  for (const data of [...chunks, Buffer.alloc(0)]) {
    const text = `AWS4-HMAC-SHA256-PAYLOAD\n${when}\n${last}\n${sha256("")}\n${sha256(data)}`;
    last = hmac(key, text).toString("hex");
    parts.push(Buffer.from(`${data.length.toString(16)};chunk-signature=${last}\r\n`));
    if (data.length > 0) parts.push(data, Buffer.from("\r\n"));
  }
  if (trailer === undefined) return [...parts, Buffer.from("\r\n")];
  const [name, value] = trailer;
  const signature = hmac(key, `AWS4-HMAC-SHA256-TRAILER\n${when}\n${last}\n${sha256(`${name}:${value}\n`)}`);
  const lines = [`${name}:${value}`, `x-amz-trailer-signature:${signature.toString("hex")}`, "", ""];
  return [...parts, Buffer.from(lines.join("\r\n"))];
}

/** A body of so many bytes in chunks. */
export function inChunks(content: Buffer, bytes: number): Buffer[] {
  const count = Math.ceil(content.length / bytes);
  return Array.from({ length: count }, (_, index) => content.subarray(index * bytes, (index + 1) * bytes));
}
