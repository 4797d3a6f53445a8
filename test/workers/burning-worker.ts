/** A thread that uses the CPU for as long as it is told to. */

import { parentPort } from "node:worker_threads";

const used = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

parentPort?.on("message", (ms: number) => {
  parentPort?.postMessage("began");
  const until = used() + ms;
  while (used() < until);
  parentPort?.postMessage({ result: "done" });
});
