/**
 * No request, however it is made, holds up another caller (security.md §5.3). Each case is sent to a real process while
 * a steady caller asks on; the process itself measures how long its event loop stood still.
 */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Target } from "./hostile-calls.ts";
import { HOSTILE_CASES, hostileDataset, STEADY_QUESTION } from "./hostile-cases.ts";
import { cleanUp, newFolder, start, writeConfig } from "./program.ts";

/** Bounds with room for a busy machine: on a quiet one the loop is held for less than 100 ms. */
const MAX_HOLD_MS = 250;
const MAX_GROWTH_BYTES = 300 << 20;
const MAX_WAIT_MS = 500;

/** A case that a busy machine disturbed is measured again. */
const TRIES = 3;

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const PAUSE_MS = 10;

let target: Target;

beforeAll(async () => {
  const folder = newFolder();
  const dataset = writeConfig(folder, hostileDataset(), "dataset.json");
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.datasets": [dataset],
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": TOKEN,
  });
  // The launcher's setting.
  const env = { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --max-semi-space-size=8` };
  target = { program: await start(["--config", config], folder, env), token: TOKEN };
}, 60_000);
afterAll(cleanUp);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Milliseconds until a question is answered; throws for another answer than an allow. */
function ask(): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "content-length": STEADY_QUESTION.length,
    };
    const asked = request(
      `${target.program.service}/access/v1/check`,
      { method: "POST", agent, headers },
      (answer) => {
        answer.resume();
        if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
        answer.once("end", () => resolve(performance.now() - began));
      },
    );
    asked.once("error", reject);
    asked.end(STEADY_QUESTION);
  });
}

/** A metric of the process. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${target.program.metrics}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
}

/** Bytes of memory that the process has now. */
function resident(): number {
  const status = readFileSync(`/proc/${target.program.child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}

interface Measured {
  /** Of the answer, where the case is one request. */
  readonly status: number | undefined;
  readonly holdMs: number;
  readonly waitMs: number;
  readonly growth: number;
}

async function measure(run: () => Promise<unknown>): Promise<Measured> {
  await ask();
  await metric("nodejs_eventloop_lag_max_seconds");
  const before = resident();
  let running = true;
  const hostile = run().finally(() => {
    running = false;
  });
  let [waitMs, growth] = [0, 0];
  while (running) {
    waitMs = Math.max(waitMs, await ask());
    growth = Math.max(growth, resident() - before);
    await setTimeout(PAUSE_MS);
  }
  const result = await hostile;
  const status = typeof result === "number" ? result : undefined;
  const holdMs = (await metric("nodejs_eventloop_lag_max_seconds")) * 1000;
  return { status, holdMs, waitMs, growth };
}

const isGood = ({ holdMs, waitMs, growth }: Measured): boolean =>
  holdMs < MAX_HOLD_MS && waitMs < MAX_WAIT_MS && growth < MAX_GROWTH_BYTES;

describe.runIf(process.platform === "linux")("one hostile caller", () => {
  it.each(HOSTILE_CASES)(
    "$name: others are answered",
    async ({ run, statuses }) => {
      const tries: Measured[] = [];
      do tries.push(await measure(() => run(target)));
      while (tries.length < TRIES && !isGood(tries.at(-1) as Measured));
      if (process.env["HOSTILE_FIGURES"] !== undefined) console.log(JSON.stringify(tries));
      expect(tries.some(isGood), JSON.stringify(tries)).toBe(true);
      for (const { status } of tries) expect(statuses ?? [undefined]).toContain(status);
      expect(target.program.child.exitCode).toBeNull();
    },
    180_000,
  );
});
