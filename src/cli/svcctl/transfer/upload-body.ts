/** Contents of uploads, counted and hashed while they are sent. */

import type { Readable } from "node:stream";
import { checksumOf, isMd5, newFingerprint, tellsContent } from "./checksums.ts";
import type { HashThreads } from "./hash-threads.ts";
import type { StreamAnswer, StreamBody } from "./http-exchange.ts";
import type { Progress } from "./progress.ts";

/** A content to upload. */
export interface UploadSource {
  /** Bytes. */
  readonly size: number;
  /** Opens the content, or the bytes from `start` up to and without `end`. */
  readonly open: (start?: number, end?: number) => Readable;
  /** The file that the content is in. */
  readonly file?: string;
}

/** The place of an object. */
export interface ObjectPlace {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

/** Properties of an object beside its content. */
export interface ObjectTraits {
  /** MIME type; "" leaves it to the server. */
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An upload. */
export interface Upload {
  readonly place: ObjectPlace;
  readonly source: UploadSource;
  readonly traits: ObjectTraits;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
}

/** The checksum of an answer to an upload, compared with what was sent. */
export async function storedChecksum(
  answer: StreamAnswer,
  name: string,
  sent: () => Promise<string>,
): Promise<string> {
  const checksum = checksumOf(answer.headers);
  if (checksum === "") throw new Error(`upload of ${name}: the object store answered without a checksum`);
  if (tellsContent(answer.headers)) compareChecksums(name, await sent(), checksum);
  return checksum;
}

/** Headers that a pre-signed upload needs; Azure wants to hear what kind of blob it is. */
export function storeHeaders(url: string, contentType: string): Record<string, string> {
  const azure = /\.blob\.core\.(windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)$/.test(
    new URL(url).hostname,
  );
  return {
    ...(contentType !== "" && { "content-type": contentType }),
    ...(azure && { "x-ms-blob-type": "BlockBlob" }),
  };
}

/** Bytes of a content for whose checksum a thread is worth its start. */
const LARGE = 1024 * 1024;

/**
 * A body that is counted and hashed while it is sent: a large file by a thread that reads it too. A further try begins
 * anew.
 */
export function measuredBody(
  { source, progress, place }: Upload,
  [start, end]: readonly [start: number, end: number],
  hashes: HashThreads,
): { readonly body: StreamBody; readonly digest: () => Promise<string> } {
  const beside = source.file !== undefined && end - start > LARGE ? source.file : undefined;
  let fingerprint = newFingerprint();
  let digest: Promise<string> | undefined;
  const hashFile = (file: string): Promise<string> => {
    const hash = hashes.follow(file, start);
    hash.reached(end);
    const result = hash.digest();
    // Whoever compares it hears of a failure.
    result.catch(() => {});
    return result;
  };
  let sent = 0;
  const open = (): Readable => {
    progress.moved(-sent);
    sent = 0;
    fingerprint = newFingerprint();
    if (beside !== undefined) digest = hashFile(beside);
    const content = source.open(start, end);
    content.on("data", (chunk: Buffer) => {
      sent += chunk.length;
      progress.moved(chunk.length);
      if (beside === undefined) fingerprint.update(chunk);
    });
    // Before it is taken for whole: a file that shrinks while it is read would leave the server waiting.
    content.once("end", () => {
      if (sent !== end - start)
        content.emit("error", new Error(`${place.path}: the file changed while it was read`));
    });
    return content;
  };
  return { body: { size: end - start, open }, digest: () => digest ?? Promise.resolve(fingerprint.digest()) };
}

/** Throws an Error where a checksum that can be compared is another one. */
export function compareChecksums(name: string, sent: string, stored: string): void {
  if (!isMd5(stored) || stored.toLowerCase() === sent) return;
  throw new Error(`upload of ${name}: checksum ${sent} was sent, and ${stored} is stored`);
}
