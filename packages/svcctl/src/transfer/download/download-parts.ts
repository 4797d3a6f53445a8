/** Downloads one object into its file: in runs of parts, several at once past the data server, one through it. */

import { createHash } from "node:crypto";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { RetriesExhausted } from "@svc-authorizer/commands/rest-client/retries.ts";
import { isMd5, md5OfFile, tellsContent } from "../checksum.ts";
import type { ContentLink } from "../connection/content-link.ts";
import type { StreamAnswer } from "../connection/http-exchange.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import type { PartialFile } from "./partial-file.ts";

/** Requests under way at once; object stores serve many, and a data server is shared with others. */
const AT_STORE = 5;
const AT_SERVER = 1;

/** Parts that one request to an object store asks for: fewer, and connections cost more than what they bring. */
const PARTS_AT_STORE = 8;

/** The outcome of a download in parts. */
export interface Parts {
  /** False where there is no need to compare, or nothing to compare with. */
  readonly comparable: boolean;
  /** MD5 of the content, where it is comparable. */
  readonly digest: string;
}

/** Parts that follow each other: the first one, and the one behind the last. */
type Run = readonly [first: number, end: number];

/**
 * Fetches the parts that a partial file lacks. The checksum of a content is not computed where one answer brought it
 * whole, unless `compares` asks for it.
 */
export async function downloadParts(
  link: ContentLink,
  download: Download,
  partial: PartialFile,
  compares: boolean,
): Promise<Parts> {
  const { stats, partSize, presign, progress, signal } = download;
  const count = Math.ceil(stats.size / partSize);
  const endOf = (part: number): number => Math.min(stats.size, part * partSize);
  const runs = [...runsOf(partial, count, presign ? PARTS_AT_STORE : count)];
  const lacking = runs.reduce((sum, [first, end]) => sum + endOf(end) - endOf(first), 0);
  const needsHash = compares || presign || partial.isContinued;
  // Bytes that come one after the other are hashed as they come; else the file is read when all are there.
  const isInOrder = runs.length === 1 && lacking === stats.size;
  let comparable = isMd5(stats.checksum);
  const hash = comparable && needsHash && isInOrder ? createHash("md5") : undefined;
  let answers = partial.isContinued ? 1 : 0;
  const fetchRun = async ([first, end]: Run, stop: AbortSignal): Promise<void> => {
    let next = first;
    // A try begins where the one before ended.
    let position = first * partSize;
    const onWritten = (bytes: Buffer): void => {
      progress.moved(bytes.length);
      hash?.update(bytes);
      position += bytes.length;
      for (; next < end && endOf(next + 1) <= position; next += 1) partial.add(next);
    };
    const range = (): string => `bytes=${position}-${endOf(end) - 1}`;
    const take = async (answer: StreamAnswer): Promise<void> => {
      if (answer.status !== 206)
        throw new Error(`expected a part of the content, got status ${answer.status}`);
      answers += 1;
      if (!tellsContent(answer.headers)) comparable = false;
      await answer.intoFile({ file: partial.fd, start: position, length: endOf(end) - position, onWritten });
    };
    for (let before = position; ; before = position) {
      try {
        await fetchContent(link, { ...download, signal: stop }, { range }, take);
        break;
      } catch (error) {
        // Tries that brought a part are no reason to give up a large content.
        if (!(error instanceof RetriesExhausted) || position - before < partSize) throw error;
      }
    }
  };
  progress.moved(stats.size - lacking);
  await forEachParallel(runs, presign ? AT_STORE : AT_SERVER, fetchRun, signal);
  if (!comparable || !(needsHash || answers > 1)) return { comparable: false, digest: "" };
  return { comparable, digest: hash?.digest("hex") ?? (await md5OfFile(partial.content, signal)) };
}

/** Runs of parts that lack, of at most so many parts each. */
function* runsOf(partial: PartialFile, count: number, most: number): Generator<Run> {
  for (let part = 0; part < count; part += 1) {
    if (partial.has(part)) continue;
    const first = part;
    while (part + 1 < count && part + 1 - first < most && !partial.has(part + 1)) part += 1;
    yield [first, part + 1];
  }
}
