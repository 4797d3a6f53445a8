/** Thread of {@link HashThreads}: reads files as far as they are there, and computes their MD5. */

import { closeSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { type Fingerprint, newFingerprint } from "./checksums.ts";
import type { HashAnswer, HashOrder } from "./hash-threads.ts";

/** Bytes that are read at once. */
const BLOCK = Buffer.allocUnsafeSlow(1024 * 1024);

/** A file under way. */
interface Followed {
  readonly file: number;
  readonly fingerprint: Fingerprint;
  at: number;
}

const files = new Map<number, Followed>();

parentPort?.on("message", (order: HashOrder) => {
  try {
    obey(order);
  } catch (error) {
    answer({ id: order.id, error: (error as Error).message });
  }
});

function answer(message: HashAnswer): void {
  parentPort?.postMessage(message);
}

function obey({ id, path, start = 0, reached, end }: HashOrder): void {
  if (path !== undefined) {
    files.set(id, { file: openSync(path, "r"), fingerprint: newFingerprint(), at: start });
  }
  const followed = files.get(id);
  if (followed === undefined) return;
  if (reached !== undefined) follow(followed, reached);
  if (end === undefined) return;
  files.delete(id);
  closeSync(followed.file);
  if (end === "digest") answer({ id, digest: followed.fingerprint.digest() });
}

function follow(followed: Followed, to: number): void {
  while (followed.at < to) {
    const read = readSync(followed.file, BLOCK, 0, Math.min(BLOCK.length, to - followed.at), followed.at);
    if (read === 0) throw new Error("the file became shorter while it was read");
    followed.fingerprint.update(BLOCK.subarray(0, read));
    followed.at += read;
  }
}
