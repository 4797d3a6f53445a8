/** Contents of uploads, counted and hashed while they are sent. */

import { createHash } from "node:crypto";
import type { ClientRequest } from "node:http";
import { checksumOf, isMd5, tellsContent } from "../checksum.ts";
import type { StreamAnswer, StreamBody } from "../connection/http-exchange.ts";
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
interface ObjectTraits {
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
export function storedChecksum(answer: StreamAnswer, name: string, sent: MeasuredBody["digest"]): string {
  const checksum = checksumOf(answer.headers);
  if (checksum === "") throw new Error(`upload of ${name}: the object store answered without a checksum`);
  if (tellsContent(answer.headers)) compareChecksums(name, sent(), checksum);
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

/** Largest content that is hashed also where that is not asked for, in bytes. */
const SMALL = 1024 * 1024;

/** A body, and the MD5 of what was sent; undefined where it was not computed. */
interface MeasuredBody {
  readonly body: StreamBody;
  readonly digest: () => string | undefined;
}

/**
 * A body that is counted and hashed while it is sent. A further try begins anew.
 * @param hashesLarge false where the checksum of a large content is not wanted
 */
export function measuredBody(
  { source, progress }: Upload,
  [start, end]: readonly [start: number, end: number],
  hashesLarge: boolean,
): MeasuredBody {
  const { file } = source;
  const isHashed = hashesLarge || end - start <= SMALL;
  let hash = createHash("md5");
  let sent = 0;
  const onBlock = (block: Buffer): void => {
    sent += block.length;
    progress.moved(block.length);
    if (isHashed) hash.update(block);
  };
  const send = (request: ClientRequest): Promise<void> => {
    progress.moved(-sent);
    sent = 0;
    hash = createHash("md5");
    return sendFile(request, { file, start, end, onBlock });
  };
  return { body: { size: end - start, send }, digest: () => (isHashed ? hash.digest("hex") : undefined) };
}

/** Throws an Error where a checksum that can be compared is another one. */
export function compareChecksums(name: string, sent: string | undefined, stored: string): void {
  if (sent === undefined || !isMd5(stored) || stored.toLowerCase() === sent) return;
  throw new Error(`upload of ${name}: checksum ${sent} was sent, and ${stored} is stored`);
}
