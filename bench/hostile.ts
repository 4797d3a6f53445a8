/**
 * Requests made to hold up others, each sent by one caller: the cases of the guard (`test/end-to-end/hostile.test.ts`).
 * The longest time for which the event loop stood still, as the process itself measures it; the longest wait of another
 * caller; and by how much memory grew.
 */
import { rmSync } from "node:fs";
import { request } from "node:http";
import type { Target } from "../test/end-to-end/hostile-calls.ts";
import { HOSTILE_CASES } from "../test/end-to-end/hostile-cases.ts";
import { hostileDataset, STEADY_QUESTION } from "../test/end-to-end/hostile-directory.ts";
import { folder, program, serviceUrl, token, urlsOf, write } from "./authorizer.ts";
import { localConfig } from "./cold.ts";
import { type StartedServer, startServer } from "./processes.ts";

/** One case. */
export interface HostileRow {
  readonly name: string;
  /** Status of the answer, where the case is one request. */
  readonly status: number | undefined;
  /** Seconds until the answer, or until the caller gave up. */
  readonly seconds: number;
  /** Longest time for which the event loop stood still, in milliseconds. */
  readonly holdMs: number;
  /** Longest wait of another caller, in milliseconds. */
  readonly waitMs: number;
  /** Growth of the highest resident memory, in MiB. */
  readonly grewMiB: number;
}

function ask(server: StartedServer): Promise<void> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": STEADY_QUESTION.length,
    };
    const sent = request(`${serviceUrl(server)}/access/v1/check`, { method: "POST", headers }, (answer) => {
      answer.resume();
      answer.on("end", resolve);
    });
    sent.on("error", () => resolve()).end(STEADY_QUESTION);
  });
}

/** Asks one question after the other until told to stop; gives the longest wait. */
function watch(server: StartedServer): () => Promise<number> {
  let longest = 0;
  let done = false;
  const watching = (async () => {
    while (!done) {
      const began = performance.now();
      await ask(server);
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  return async () => {
    done = true;
    await watching;
    return longest;
  };
}

/** The longest hold since the last call, in milliseconds. */
async function longestHold(metrics: string): Promise<number> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1000;
}

/** Sends every case once. */
export async function measureHostile(log: (text: string) => void): Promise<HostileRow[]> {
  const data = write("hostile.json", JSON.stringify(hostileDataset()));
  const config = localConfig("hostile");
  const server = await startServer([program, "run", "--config", config, "--authorizer.datasets", data]);
  const urls = urlsOf(server);
  const target = { program: urls, token } as unknown as Target;
  const rows: HostileRow[] = [];
  for (const { name, run } of HOSTILE_CASES) {
    await ask(server);
    await longestHold(urls.metrics);
    const before = server.peak();
    const stop = watch(server);
    const began = performance.now();
    const result = await run(target);
    const seconds = (performance.now() - began) / 1000;
    const waitMs = await stop();
    const holdMs = await longestHold(urls.metrics);
    const status = typeof result === "number" ? result : undefined;
    log(`${name}: ${status ?? "done"} after ${seconds.toFixed(2)} s, held ${holdMs.toFixed(0)} ms`);
    rows.push({ name, status, seconds, holdMs, waitMs, grewMiB: server.peak() - before });
  }
  await server.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  try {
    await measureHostile(console.log);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
