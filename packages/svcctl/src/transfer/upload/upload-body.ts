/** Contents of uploads, counted and hashed while they are sent. */

import type { ClientRequest } from "node:http";
import type { StreamAnswer, StreamBody } from "../connection/http-exchange.ts";
import { checksumOf, isMd5, newFingerprint, tellsContent } from "../hashes/checksums.ts";
import type { HashThreads } from "../hashes/hash-threads.ts";
import type { Progress } from "../progress.ts";
import { sendFile } from "./send-file.ts";

/** A content to upload. */
export interface UploadSource {
  /** Bytes. */
  readonly size: number;
  /** The file that the content is in. */
  readonly file: string;
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
  sent: MeasuredBody["digest"],
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

/** A body, and the MD5 of what was sent; undefined where it was not computed. */
export interface MeasuredBody {
  readonly body: StreamBody;
  readonly digest: () => Promise<string | undefined>;
}

/**
 * A body that is counted and hashed while it is sent: a large file by a thread that reads it too. A further try begins
 * anew.
 * @param hashes undefined where the checksum of a large content is not wanted
 */
export function measuredBody(
  { source, progress }: Upload,
  [start, end]: readonly [start: number, end: number],
  hashes: HashThreads | undefined,
): MeasuredBody {
  const { file } = source;
  const isLarge = end - start > LARGE;
  let fingerprint = newFingerprint();
  let beside: Promise<string> | undefined;
  let sent = 0;
  const onBlock = (block: Buffer): void => {
    sent += block.length;
    progress.moved(block.length);
    if (!isLarge) fingerprint.update(block);
  };
  const send = (request: ClientRequest): Promise<void> => {
    progress.moved(-sent);
    sent = 0;
    fingerprint = newFingerprint();
    const sending = sendFile(request, { file, start, end, onBlock });
    if (isLarge) beside = hashes && hashBeside(sending, hashes, { file, start, end });
    return sending;
  };
  const digest = async (): Promise<string | undefined> => (isLarge ? beside : fingerprint.digest());
  return { body: { size: end - start, send }, digest };
}

/** Hashes bytes of a file while they are sent. It may wait for other files until then: together they take less. */
function hashBeside(
  sending: Promise<void>,
  hashes: HashThreads,
  { file, start, end }: { readonly file: string; readonly start: number; readonly end: number },
): Promise<string> {
  const hash = hashes.follow(file, end - start, start);
  hash.reached(end);
  const result = sending.then(
    () => hash.digest(),
    (error: unknown) => {
      hash.forget();
      throw error;
    },
  );
  // Whoever compares it hears of a failure.
  result.catch(() => {});
  return result;
}

/** Throws an Error where a checksum that can be compared is another one. */
export function compareChecksums(name: string, sent: string | undefined, stored: string): void {
  if (sent === undefined || !isMd5(stored) || stored.toLowerCase() === sent) return;
  throw new Error(`upload of ${name}: checksum ${sent} was sent, and ${stored} is stored`);
}
