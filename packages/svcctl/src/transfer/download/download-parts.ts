/** Downloads one object into its file: in runs of parts, several at once past the data server, one through it. */

import { RetriesExhausted } from "@svc-authorizer/commands/rest-client/retries.ts";
import type { ContentLink } from "../connection/content-link.ts";
import type { StreamAnswer } from "../connection/http-exchange.ts";
import { forEachParallel } from "../for-each-parallel.ts";
import { isMd5, tellsContent } from "../hashes/checksums.ts";
import type { FollowingHash } from "../hashes/hash-threads.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import type { PartialFile } from "./partial-file.ts";

/** Requests under way at once; object stores serve many, and a data server is shared with others. */
const AT_STORE = 5;
const AT_SERVER = 1;

/** Parts that one request to an object store asks for: fewer, and connections cost more than what they bring. */
const PARTS_AT_STORE = 8;

/** Bytes by which a transfer may be ahead of its checksum, at least; and parts, where they are larger. */
const AHEAD_BYTES = 32 * 1024 * 1024;
const AHEAD_PARTS = 2;

/** Bytes that arrive before their checksum is asked for. */
const TOLD_BYTES = 1024 * 1024;

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
  let answers = partial.isContinued ? 1 : 0;
  let comparable = isMd5(stats.checksum);
  // Beside the transfer, behind the first part that lacks, where it is known to be needed.
  const needsHash = compares || presign || partial.isContinued;
  let hash = comparable && needsHash ? link.hashes.follow(partial.content, stats.size) : undefined;
  const ahead = Math.max(AHEAD_BYTES, AHEAD_PARTS * partSize);
  let whole = 0;
  // A checksum that waited for whole parts would be computed when the transfer is over.
  let told = 0;
  const tell = (position: number): void => {
    if (position - told < TOLD_BYTES && position < stats.size) return;
    told = position;
    hash?.reached(position);
  };
  const noteParts = (parts: readonly number[]): void => {
    for (const part of parts) partial.add(part);
    while (whole < count && partial.has(whole)) whole += 1;
    tell(endOf(whole));
  };
  const fetchRun = async ([first, end]: Run, stop: AbortSignal): Promise<void> => {
    let next = first;
    // A try begins where the one before ended.
    let position = first * partSize;
    const onWritten = (written: number): void => {
      position = written;
      const arrived: number[] = [];
      for (; next < end && endOf(next + 1) <= written; next += 1) arrived.push(next);
      if (arrived.length > 0) noteParts(arrived);
      if (next === whole) tell(written);
    };
    const range = (): string => `bytes=${position}-${endOf(end) - 1}`;
    const take = async (answer: StreamAnswer): Promise<void> => {
      if (answer.status !== 206)
        throw new Error(`expected a part of the content, got status ${answer.status}`);
      answers += 1;
      if (!tellsContent(answer.headers)) comparable = false;
      const [start, length] = [position, endOf(end) - position];
      const into = { file: partial.fd, start, length, onReceived: progress.moved, onWritten };
      await answer.intoFile({ ...into, pause: () => hash?.behind(ahead) });
    };
    for (let before = position; ; before = position) {
      try {
        await fetchContent(link, { ...download, signal: stop }, { range, direct: true }, take);
        break;
      } catch (error) {
        // Tries that brought a part are no reason to give up a large content.
        if (!(error instanceof RetriesExhausted) || position - before < partSize) throw error;
      }
    }
  };
  try {
    const runs = [...runsOf(partial, count, presign ? PARTS_AT_STORE : count)];
    noteParts([]);
    const lacking = runs.reduce((sum, [first, end]) => sum + endOf(end) - endOf(first), 0);
    progress.moved(stats.size - lacking);
    await forEachParallel(runs, presign ? AT_STORE : AT_SERVER, fetchRun, signal);
    if (answers > 1 && comparable) hash ??= hashOfFile(link, partial.content, stats.size);
    if (!comparable || hash === undefined) return { comparable: false, digest: "" };
    return { comparable, digest: await hash.digest() };
  } catch (error) {
    hash?.forget();
    throw error;
  }
}

function hashOfFile(link: ContentLink, file: string, size: number): FollowingHash {
  const hash = link.hashes.follow(file, size);
  hash.reached(size);
  return hash;
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
