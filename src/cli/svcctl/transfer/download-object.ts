/** Downloads one object into a file, which is there whole or not at all. */

import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { TransportFailure } from "../../rest-client/transport-failure.ts";
import { isMd5, newFingerprint, tellsContent } from "./checksums.ts";
import type { ContentLink } from "./content-link.ts";
import { downloadParts } from "./download-parts.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import { openPartialFile, type PartialFile } from "./partial-file.ts";

/** Bytes of a content that is kept in memory until it is there. */
const SMALL = 1024 * 1024;

/** The result of one pass through the content. */
interface Fetched {
  readonly digest: string;
  /** False where the object store keeps checksums that are none of the content. */
  readonly comparable: boolean;
}

/**
 * Downloads into a file beside the one that is wanted, compares the checksum, and puts it in place. What is left of a
 * download in parts is continued by the next one.
 * @throws Error when the content is not what the server describes
 */
export async function downloadObject(link: ContentLink, download: Download): Promise<void> {
  const { file, stats, partSize, place, warn } = download;
  await mkdir(dirname(file), { recursive: true });
  const partial = await openPartialFile(file, stats.size > partSize ? { ...stats, partSize } : undefined);
  try {
    const first = await fetchOnce(link, download, partial);
    if (!agrees(first, stats.checksum)) {
      // A damaged transfer differs from the next one; a checksum of something else than the content does not.
      await partial.restart();
      const second = await fetchOnce(link, download, partial);
      if (!agrees(second, stats.checksum)) {
        if (second.digest !== first.digest) throw new Error(`${place.path}: the content arrives damaged`);
        warn(`${place.path}: the server's checksum is not that of the content, which arrived the same twice`);
      }
    }
    await partial.finish();
    await rename(partial.content, file);
  } catch (error) {
    const left = await partial.leave();
    if (left !== undefined) warn(`incomplete: ${left} (the same command continues it)`);
    throw error;
  }
}

function agrees({ digest, comparable }: Fetched, checksum: string): boolean {
  return !comparable || !isMd5(checksum) || checksum.toLowerCase() === digest;
}

async function fetchOnce(link: ContentLink, download: Download, partial: PartialFile): Promise<Fetched> {
  if (partial.inParts) {
    return downloadParts(link, download, partial);
  }
  if (download.stats.size <= SMALL) return fetchSmall(link, download, partial);
  return fetchContent(link, download, {}, async (answer) => {
    const fingerprint = newFingerprint();
    let received = 0;
    answer.body.on("data", (chunk: Buffer) => {
      received += chunk.length;
      download.progress.moved(chunk.length);
      fingerprint.update(chunk);
    });
    try {
      await pipeline(answer.body, createWriteStream(partial.content, { highWaterMark: 1024 * 1024 }), {
        signal: download.signal,
      });
      if (received !== download.stats.size) throw new TransportFailure("the content ended early", true);
    } catch (error) {
      download.progress.moved(-received);
      throw error;
    }
    return { digest: fingerprint.digest(), comparable: tellsContent(answer.headers) };
  });
}

/** A small content is in memory as a whole: of many files, most of the time would go into opening streams. */
function fetchSmall(link: ContentLink, download: Download, partial: PartialFile): Promise<Fetched> {
  const { size } = download.stats;
  return fetchContent(link, download, {}, async (answer) => {
    const chunks: Buffer[] = [];
    let received = 0;
    for await (const chunk of answer.body) {
      received += (chunk as Buffer).length;
      if (received > size) break;
      chunks.push(chunk as Buffer);
    }
    if (received !== size) throw new TransportFailure("the content ended early", true);
    const content = Buffer.concat(chunks);
    await writeFile(partial.content, content);
    download.progress.moved(received);
    const fingerprint = newFingerprint();
    fingerprint.update(content);
    return { digest: fingerprint.digest(), comparable: tellsContent(answer.headers) };
  });
}

/** The MD5 of a file, as lower-case hexadecimal. */
export async function md5OfFile(file: string): Promise<string> {
  const fingerprint = newFingerprint();
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    fingerprint.update(chunk as Buffer);
  }
  return fingerprint.digest();
}
