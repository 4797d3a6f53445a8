/** Downloads one object in parts: several at once past the data server, one after the other through it. */

import { open } from "node:fs/promises";
import { RetriesExhausted } from "../../rest-client/retries.ts";
import { isMd5, tellsContent } from "./checksums.ts";
import type { ContentLink } from "./content-link.ts";
import { type Download, fetchContent } from "./fetch-content.ts";
import { forEachParallel } from "./for-each-parallel.ts";
import type { StreamAnswer } from "./http-exchange.ts";
import type { PartialFile } from "./partial-file.ts";

/** Requests under way at once; object stores serve many, and a data server is shared with others. */
const AT_STORE = 5;
const AT_SERVER = 1;

/** Parts that one request to an object store asks for: fewer, and connections cost more than what they bring. */
const PARTS_AT_STORE = 8;

/** The outcome of a download in parts. */
export interface Parts {
  /** False where the object store keeps checksums that are none of the content. */
  readonly comparable: boolean;
  /** MD5 of the content; "" where the server describes the content by something else. */
  readonly digest: string;
}

/** Parts that follow each other: the first one, and the one behind the last. */
type Run = readonly [first: number, end: number];

/** Fetches the parts that a partial file lacks. */
export async function downloadParts(
  link: ContentLink,
  download: Download,
  partial: PartialFile,
): Promise<Parts> {
  const { stats, partSize, presign, progress, signal } = download;
  const count = Math.ceil(stats.size / partSize);
  const endOf = (part: number): number => Math.min(stats.size, part * partSize);
  const handle = await open(partial.content, "r+");
  const hash = isMd5(stats.checksum) ? link.hashes.follow(partial.content) : undefined;
  let comparable = true;
  // The checksum follows behind the first part that lacks.
  let whole = 0;
  const noteWhole = (): void => {
    const before = whole;
    while (whole < count && partial.has(whole)) whole += 1;
    if (whole > before) hash?.reached(endOf(whole));
  };
  const fetchRun = async ([first, end]: Run, stop: AbortSignal): Promise<void> => {
    let next = first;
    // A try begins where the one before ended.
    let position = first * partSize;
    const notes: Promise<void>[] = [];
    const onWritten = (written: number): void => {
      position = written;
      for (; next < end && endOf(next + 1) <= written; next += 1)
        notes.push(partial.add(next).then(noteWhole));
    };
    const range = (): string => `bytes=${position}-${endOf(end) - 1}`;
    const take = async (answer: StreamAnswer): Promise<void> => {
      if (answer.status !== 206)
        throw new Error(`expected a part of the content, got status ${answer.status}`);
      if (!tellsContent(answer.headers)) comparable = false;
      const [start, length] = [position, endOf(end) - position];
      await answer.intoFile({ file: handle.fd, start, length, onReceived: progress.moved, onWritten });
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
    await Promise.all(notes);
  };
  progress.moved(Math.min(stats.size, partial.count * partSize));
  noteWhole();
  try {
    const runs = runsOf(partial, count, presign ? PARTS_AT_STORE : count);
    await forEachParallel(runs, presign ? AT_STORE : AT_SERVER, fetchRun, signal);
    return { comparable, digest: comparable && hash !== undefined ? await hash.digest() : "" };
  } catch (error) {
    hash?.forget();
    throw error;
  } finally {
    await handle.close();
  }
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
