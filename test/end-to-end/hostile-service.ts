/** The real service with the directory of the hostile cases, and a steady caller. */

import { readFileSync } from "node:fs";
import { type Agent, request } from "node:http";
import { join } from "node:path";
import type { Target } from "./hostile-calls.ts";
import { hostileDataset, STEADY_QUESTION } from "./hostile-cases.ts";
import { newFolder, start, writeConfig } from "./program.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";

/** A running service. */
export interface HostileService extends Target {
  /** Asks a question as a caller does whom nobody holds up: milliseconds to the answer; rejects if it is none. */
  ask(agent: Agent | false): Promise<number>;
  /** Bytes of memory that the process has now. */
  resident(): number;
  /** A metric of the process. */
  metric(name: string): Promise<number>;
}

/**
 * Starts it.
 * @param more further items of the configuration
 */
export async function startHostile(more: Readonly<Record<string, unknown>> = {}): Promise<HostileService> {
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
    ...more,
  });
  // The size of the young generation is the launcher's setting.
  const env = { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --max-semi-space-size=8` };
  const program = await start(["--config", config], folder, env);
  return {
    program,
    token: TOKEN,
    ask: (agent) => ask(program.service, agent),
    resident: () => {
      const status = readFileSync(`/proc/${program.child.pid}/status`, "utf8");
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
    },
    metric: async (name) => {
      const text = await (await fetch(`${program.metrics}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
    },
  };
}

function ask(service: string, agent: Agent | false): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      "content-length": STEADY_QUESTION.length,
    };
    const asked = request(`${service}/access/v1/check`, { method: "POST", agent, headers }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
      answer.once("end", () => resolve(performance.now() - began));
    });
    asked.once("error", reject);
    asked.end(STEADY_QUESTION);
  });
}
