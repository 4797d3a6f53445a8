/** Thread of {@link HashThreads}: reads files as far as they are there, and computes their MD5. */

import { parentPort } from "node:worker_threads";
import { FileHashes } from "./file-hashes.ts";
import type { HashAnswer, HashOrder, HashProgress } from "./hash-threads.ts";

const say = (message: HashAnswer | HashProgress): void => parentPort?.postMessage(message);
const hashes = new FileHashes(say, (id, computed) => say({ id, computed }));
let isPlanned = false;
let isTimed = false;

/** Time that files which have ended wait for others, in milliseconds. */
const COMPANY_MS = 50;

parentPort?.on("message", (order: HashOrder) => {
  hashes.obey(order);
  plan();
});

/** Works between messages: those that have come may bring more to compute together. */
function plan(): void {
  if (isPlanned) return;
  isPlanned = true;
  setImmediate(() => {
    isPlanned = false;
    const work = hashes.work();
    if (work === "more") plan();
    if (work === "waits" && !isTimed) {
      isTimed = true;
      setTimeout(endWaiting, COMPANY_MS);
    }
  });
}

function endWaiting(): void {
  isTimed = false;
  hashes.hurry();
  plan();
}
