/**
 * No caller ends the service or locks others out by connections (security.md §5.3): thousands that send and never read, with
 * few files, beside clients who come new.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FLOODS, flood } from "./connection-flood.ts";
import { hostileDataset, STEADY_QUESTION } from "./hostile-cases.ts";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "./program.ts";

const FILES = 1_024;
const CONNECTIONS = Number(process.env["FLOOD_CONNECTIONS"] ?? 1_000);
/** `limits.answers_bytes` of two listeners, and what 700 connections take besides. */
const MAX_GROWTH_BYTES = 2 * (128 << 20) + (100 << 20);
const TOKEN = "a-token-that-only-this-test-knows-0123456789";

let program: RunningProgram;
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
    // What a process that may open so many files has by default.
    "authorizer.limits.connections": FILES - 256,
  });
  program = await start(["--config", config], folder);
  // Node raises the soft limit of files at its start, so it is set for the process that runs.
  const limited = spawn("prlimit", ["--pid", String(program.child.pid), `--nofile=${FILES}:${FILES}`]);
  expect((await once(limited, "exit"))[0]).toBe(0);
}, 60_000);
afterAll(cleanUp);

/** Asks one question on a new connection. */
function ask(): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "content-length": STEADY_QUESTION.length,
    };
    const asked = request(
      `${program.service}/access/v1/check`,
      { method: "POST", agent: false, headers },
      (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode as number));
      },
    );
    asked.once("error", reject);
    asked.end(STEADY_QUESTION);
  });
}

function resident(): number {
  const status = readFileSync(`/proc/${program.child.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}

describe.runIf(process.platform === "linux")("connections that nobody uses", () => {
  it.each(FLOODS)(
    "$name: new clients are answered, and the memory is bounded",
    async (one) => {
      const target = { program, token: TOKEN };
      const before = resident();
      const { longestMs, tried } = await flood(target, one, CONNECTIONS, async () => {
        expect(await ask()).toBe(200);
      });
      const growth = resident() - before;
      if (process.env["HOSTILE_FIGURES"] !== undefined) {
        console.log(JSON.stringify({ tried, longestMs, growthMiB: growth >> 20 }));
      }
      expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
      expect(program.child.exitCode).toBeNull();
    },
    180_000,
  );
});
