/** Downloads one object into a file, which is there whole or not at all. */

import { createHash } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { TransportFailure } from "@svc-authorizer/commands/rest-client/transport-failure.ts";
import { giveBack } from "@svc-authorizer/commands/returned-memory.ts";
import { isMd5, tellsContent } from "../checksum.ts";
import type { ContentLink } from "../connection/content-link.ts";
import { downloadParts, type Parts } from "./download-parts.ts";
import { downloadStream, isStream } from "./download-stream.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import { openPartialFile } from "./partial-file.ts";

const ENDED_EARLY = "the content ended early";

/** Bytes of a content that is kept in memory until it is there. */
const SMALL = 1024 * 1024;

/**
 * Downloads into a file beside the one that is wanted, compares the checksum, and puts it in place. A device or a FIFO
 * is written to. What is left of a
 * download in parts is continued by the next one. The folder has to be there.
 * @throws Error when the content is not what the server describes
 */
export async function downloadObject(link: ContentLink, download: Download): Promise<void> {
  if (await isStream(download.file)) await downloadStream(link, download);
  else if (download.stats.size <= Math.min(SMALL, download.partSize)) await downloadSmall(link, download);
  else await downloadLarge(link, download);
}

async function downloadLarge(link: ContentLink, download: Download): Promise<void> {
  const { file, stats, partSize, warn } = download;
  const partial = await openPartialFile(file, { ...stats, partSize });
  try {
    await compared(download, async (isSecond) => {
      if (isSecond) await partial.restart();
      return downloadParts(link, download, partial, isSecond || link.comparesAll);
    });
    await partial.finish();
    await rename(partial.content, file);
  } catch (error) {
    const left = await partial.leave();
    if (left !== undefined) warn(`incomplete: ${left} (the same command continues it)`);
    throw error;
  }
}

/** A small content is in memory as a whole: of many files, most of the time would go into opening streams. */
async function downloadSmall(link: ContentLink, download: Download): Promise<void> {
  const { file } = download;
  const unfinished = `${file}.svcctl-part`;
  let content: Buffer = Buffer.alloc(0);
  await compared(download, async () => {
    const fetched = await fetchSmall(link, download);
    content = fetched.content;
    return fetched;
  });
  try {
    await writeFile(unfinished, content);
    await rename(unfinished, file);
    giveBack(content);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Fetches a content a second time where its checksum is another one than the server describes. */
async function compared(
  { place, stats, warn }: Download,
  fetchOnce: (isSecond: boolean) => Promise<Parts>,
): Promise<void> {
  const first = await fetchOnce(false);
  if (agrees(first, stats.checksum)) return;
  // A damaged transfer differs from the next one; a checksum of something else than the content does not.
  const second = await fetchOnce(true);
  if (agrees(second, stats.checksum)) return;
  if (second.digest !== first.digest) throw new Error(`${place.path}: the content arrives damaged`);
  warn(`${place.path}: the server's checksum is not that of the content, which arrived the same twice`);
}

function agrees({ digest, comparable }: Parts, checksum: string): boolean {
  return !comparable || !isMd5(checksum) || checksum.toLowerCase() === digest;
}

function fetchSmall(link: ContentLink, download: Download): Promise<Parts & { readonly content: Buffer }> {
  const { size } = download.stats;
  return fetchContent(link, download, {}, async (answer) => {
    const chunks: Buffer[] = [];
    let received = 0;
    await answer.each((chunk) => {
      received += chunk.length;
      if (received > size) throw new TransportFailure(ENDED_EARLY, true);
      chunks.push(chunk);
    });
    if (received !== size) throw new TransportFailure(ENDED_EARLY, true);
    const content = Buffer.concat(chunks);
    for (const chunk of chunks) answer.giveBack(chunk);
    download.progress.moved(received);
    const digest = createHash("md5").update(content).digest("hex");
    return { content, digest, comparable: tellsContent(answer.headers) };
  });
}
