/** Thread of {@link HashThreads}: reads files as far as they are there, and computes their MD5. */

import { parentPort } from "node:worker_threads";
import { FileHashes } from "./file-hashes.ts";
import type { HashAnswer, HashOrder } from "./hash-threads.ts";

const hashes = new FileHashes((answer: HashAnswer) => parentPort?.postMessage(answer));
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
