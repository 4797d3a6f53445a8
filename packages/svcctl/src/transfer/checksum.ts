/** MD5 checksums of contents, which the data server keeps for objects. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Bytes that are read at once. */
const READ_BYTES = 1024 * 1024;

/**
 * Reads a file, and returns the MD5 of its content as lower-case hexadecimal.
 * @throws Error of the file; the reason of the signal when that ends it
 */
export async function md5OfFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("md5");
  for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
    signal?.throwIfAborted();
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}

/**
 * True for a checksum that an MD5 of the content can be compared with. Those of uploads in parts to an object store end
 * with the number of parts.
 */
export function isMd5(checksum: string): boolean {
  return /^[0-9a-f]{32}$/i.test(checksum);
}

/** The checksum that an object store answered an upload with; "" where there is none. */
export function checksumOf(headers: { get(name: string): string | null }): string {
  const md5 = headers.get("content-md5");
  if (md5 !== null && md5 !== "") return Buffer.from(md5, "base64").toString("hex");
  return (headers.get("etag") ?? "").replace(/^[" ]+|[" ]+$/g, "");
}

/** False where an object store encrypts with keys of its own: its checksums are then none of the content. */
export function tellsContent(headers: { get(name: string): string | null }): boolean {
  const encryption = headers.get("x-amz-server-side-encryption") ?? "";
  return (
    !encryption.startsWith("aws:kms") &&
    headers.get("x-amz-server-side-encryption-customer-algorithm") === null
  );
}
