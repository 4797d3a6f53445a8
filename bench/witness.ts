/**
 * A client who comes new again and again, in a process of its own: it asks one question after the other, each on a new
 * connection. Told to stop, it says how long it waited at most, and how many questions had no answer.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** The question. */
interface Asked {
  readonly url: string;
  readonly token: string;
  readonly body: string;
  /** The process of the service. */
  readonly pid: number;
}

/** The answers that it got. */
export interface Witnessed {
  readonly longestMs: number;
  /** The same without the time in which the service could have run and other processes had the processor. */
  readonly longestOwnMs: number;
  readonly asked: number;
  readonly failed: number;
}

const PAUSE_MS = 5;
const PATIENCE_MS = 60_000;

/** Starts a witness, and waits for its first answer; returns what stops it. */
export async function witness(asked: Asked): Promise<() => Promise<Witnessed>> {
  const child = fork(import.meta.filename, [JSON.stringify(asked)]);
  await once(child, "message");
  return async () => {
    const told = once(child, "message");
    child.send("stop");
    return (await told)[0] as Witnessed;
  };
}

async function ask({ url, token, body }: Asked): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** Milliseconds for which the main thread of a process has waited for a processor; 0 where the system does not tell. */
function waitedForProcessor(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  const asked = JSON.parse(process.argv[2] ?? "") as Asked;
  let isOver = false;
  process.once("message", () => {
    isOver = true;
  });
  let [longestMs, longestOwnMs, count, failed] = [0, 0, 0, 0];
  // The first question of a process takes longer by what it loads.
  await ask(asked);
  process.send("ready");
  do {
    const began = performance.now();
    const before = waitedForProcessor(asked.pid);
    if (!(await ask(asked))) failed++;
    const ms = performance.now() - began;
    longestMs = Math.max(longestMs, ms);
    longestOwnMs = Math.max(longestOwnMs, ms - (waitedForProcessor(asked.pid) - before));
    count++;
    await setTimeout(PAUSE_MS);
  } while (!isOver);
  process.send({ longestMs, longestOwnMs, asked: count, failed } satisfies Witnessed);
  process.disconnect();
}
