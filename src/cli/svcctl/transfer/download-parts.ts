/** Downloads one object in parts, several at once. */

import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { TransportFailure } from "../../rest-client/attempt.ts";
import { tellsContent } from "./checksums.ts";
import type { ContentLink } from "./content-link.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import { forEachParallel } from "./for-each-parallel.ts";
import type { PartialFile } from "./partial-file.ts";

const PARTS_AT_ONCE = 10;

/**
 * Fetches the parts that a partial file lacks.
 * @returns whether the checksum of the object can be compared with the content
 */
export async function downloadParts(
  link: ContentLink,
  download: Download,
  partial: PartialFile,
): Promise<boolean> {
  const { stats, partSize, progress } = download;
  const count = Math.ceil(stats.size / partSize);
  let comparable = true;
  function* missing(): Generator<number> {
    for (let part = 0; part < count; part += 1) if (!partial.has(part)) yield part;
  }
  progress.moved(partial.count * partSize);
  const fetchPart = async (part: number, signal: AbortSignal): Promise<void> => {
    const start = part * partSize;
    const length = Math.min(partSize, stats.size - start);
    const headers = { range: `bytes=${start}-${start + length - 1}` };
    await fetchContent(link, { ...download, signal }, headers, async (answer) => {
      if (answer.status !== 206)
        throw new Error(`expected a part of the content, got status ${answer.status}`);
      if (!tellsContent(answer.headers)) comparable = false;
      let received = 0;
      answer.body.on("data", (chunk: Buffer) => {
        received += chunk.length;
        progress.moved(chunk.length);
      });
      try {
        const into = createWriteStream(partial.content, { flags: "r+", start });
        await pipeline(answer.body, into, { signal });
        if (received !== length) throw new TransportFailure("the content ended early", true);
      } catch (error) {
        progress.moved(-received);
        throw error;
      }
    });
    await partial.add(part);
  };
  await forEachParallel(missing(), PARTS_AT_ONCE, fetchPart, download.signal);
  return comparable;
}
