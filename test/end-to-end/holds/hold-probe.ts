/**
 * Loaded into the service before it starts: measures for how long its main thread does one thing. A hold is the CPU time
 * between two turns of a timer of 5 ms, so that other processes of the machine do not count.
 */

import { isMainThread } from "node:worker_threads";

const TURN_MS = 5;
/** Turns in which nothing happens, after which the work of a request is over. */
const QUIET_TURNS = 4;
/** CPU time of a turn in which nothing happens, in milliseconds. */
const QUIET_MS = 2;

if (isMainThread && process.send !== undefined) {
  let before = process.threadCpuUsage();
  let [longestMs, quiet, isAsked] = [0, 0, false];
  setInterval(() => {
    const now = process.threadCpuUsage();
    const ms = (now.user - before.user + now.system - before.system) / 1_000;
    before = now;
    longestMs = Math.max(longestMs, ms);
    quiet = ms < QUIET_MS ? quiet + 1 : 0;
    if (!isAsked || quiet < QUIET_TURNS) return;
    isAsked = false;
    process.send?.({ holdMs: longestMs });
    longestMs = 0;
  }, TURN_MS).unref();
  process.on("message", () => {
    [isAsked, quiet] = [true, 0];
  });
  process.channel?.unref();
}
