/** Downloads one object into what is no regular file: a device, a FIFO, standard output by its name. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { isMd5, tellsContent } from "../checksum.ts";
import type { ContentLink } from "../connection/content-link.ts";
import { type Download, fetchContent } from "./fetch-content.ts";

/** Names of open files of a process: what they name is written to, whatever it is. */
const DESCRIPTOR = /^\/(?:dev\/(?:fd\/\d+|std(?:in|out|err))|proc\/(?:self|\d+)\/fd\/\d+)$/;

const STANDARD_OUTPUT = /^\/(?:dev\/(?:fd\/1|stdout)|proc\/self\/fd\/1)$/;

/** True for a name of standard output: with a content there, nothing else belongs there. */
export function isStandardOutput(file: string): boolean {
  return STANDARD_OUTPUT.test(file);
}

/** True for a file that is written to and never replaced. */
export async function isStream(file: string): Promise<boolean> {
  if (DESCRIPTOR.test(file)) return true;
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * Writes the content to the file. What was written cannot be taken back, so it is not tried again.
 * @throws Error when the content is not what the server describes
 */
export async function downloadStream(link: ContentLink, download: Download): Promise<void> {
  const { file, place, stats, progress, signal } = download;
  const hash = createHash("md5");
  let written = 0;
  let comparable = false;
  // The reader of a FIFO may come late: the server is asked once it is there.
  const target = await openedToWrite(file, signal);
  let failure: unknown;
  try {
    await fetchContent(link, download, {}, async (answer) => {
      comparable = tellsContent(answer.headers);
      const take = async (chunk: Buffer): Promise<void> => {
        hash.update(chunk);
        written += chunk.length;
        progress.moved(chunk.length);
        await target.writeFile(chunk);
        answer.giveBack(chunk);
      };
      failure = await answer.each(take).catch((error: unknown) => error);
    });
  } finally {
    // Where nobody reads from a FIFO any more, a write may never end: nothing waits for it.
    const closed = target.close();
    if (failure === undefined) await closed;
    else closed.catch(() => undefined);
  }
  if (failure !== undefined) throw failure;
  const same = !comparable || !isMd5(stats.checksum) || stats.checksum.toLowerCase() === hash.digest("hex");
  if (written !== stats.size || !same) {
    throw new Error(`${place.path}: what was written is not the content that the server describes`);
  }
}

/** Opens what is there. A FIFO waits for its reader, or for the interrupt. */
async function openedToWrite(file: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  // A reader of our own ends the wait.
  const release = (): void =>
    void open(file, constants.O_RDONLY | constants.O_NONBLOCK).then((reader) => reader.close());
  signal?.addEventListener("abort", release, { once: true });
  // What others wrote to standard output before stays.
  const handle = await open(file, constants.O_WRONLY | (DESCRIPTOR.test(file) ? constants.O_APPEND : 0));
  signal?.removeEventListener("abort", release);
  if (signal?.aborted === true) {
    await handle.close();
    signal.throwIfAborted();
  }
  return handle;
}
