/** Downloads one object in parts: several at once past the data server, one after the other through it. */

import { createHash, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { TransportFailure } from "../../rest-client/attempt.ts";
import { tellsContent } from "./checksums.ts";
import type { ContentLink } from "./content-link.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import { forEachParallel } from "./for-each-parallel.ts";
import type { PartialFile } from "./partial-file.ts";

/** Parts under way at once; object stores serve many, and a data server is shared with others. */
const AT_STORE = 5;
const AT_SERVER = 1;

/** Bytes that may wait for the disk. */
const BUFFER = 2 * 1024 * 1024;

/** The outcome of a download in parts. */
export interface Parts {
  /** False where the object store keeps checksums that are none of the content. */
  readonly comparable: boolean;
  /** MD5 of the content; undefined where parts did not arrive in their order, or were there before. */
  readonly digest: string | undefined;
}

/** Fetches the parts that a partial file lacks. */
export async function downloadParts(
  link: ContentLink,
  download: Download,
  partial: PartialFile,
): Promise<Parts> {
  const { stats, partSize, progress, presign } = download;
  const count = Math.ceil(stats.size / partSize);
  const inOrder = !presign && partial.count === 0;
  let hash = createHash("md5");
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
      // A part that is fetched again is hashed again.
      const further: Hash | undefined = inOrder ? hash.copy() : undefined;
      let received = 0;
      answer.body.on("data", (chunk: Buffer) => {
        received += chunk.length;
        progress.moved(chunk.length);
        further?.update(chunk);
      });
      try {
        const into = createWriteStream(partial.content, { flags: "r+", start, highWaterMark: BUFFER });
        await pipeline(answer.body, into, { signal });
        if (received !== length) throw new TransportFailure("the content ended early", true);
      } catch (error) {
        progress.moved(-received);
        throw error;
      }
      hash = further ?? hash;
    });
    await partial.add(part);
  };
  await forEachParallel(missing(), presign ? AT_STORE : AT_SERVER, fetchPart, download.signal);
  return { comparable, digest: inOrder ? hash.digest("hex") : undefined };
}
