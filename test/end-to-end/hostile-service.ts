/** The real service with the directory of the hostile cases, and a steady caller. */

import { readFileSync } from "node:fs";
import { type Agent, request } from "node:http";
import { join } from "node:path";
import { longestHold, startProbed } from "./holds/probed-program.ts";
import { OTHER_TOKEN } from "./hostile-callers.ts";
import type { Target } from "./hostile-calls.ts";
import { hostileDataset, STEADY_QUESTION } from "./hostile-directory.ts";
import { newFolder, writeConfig } from "./program.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";

/** Milliseconds of a tick, in which Linux counts CPU time. */
const TICK_MS = 10;

/** A running service. */
export interface HostileService extends Target {
  /** Asks a question as a caller does whom nobody holds up: milliseconds to the answer; rejects if it is none. */
  ask(agent: Agent | false): Promise<number>;
  /** Milliseconds of CPU time that the main thread has taken so far. */
  busyMs(): number;
  /** Bytes of memory that the process has now. */
  resident(): number;
  /** Bytes of them that are no file. */
  anonymous(): number;
  /** The longest hold since the last call, in milliseconds of CPU time, once nothing is to be done any more. */
  longestHold(): Promise<number>;
  /** A metric of the process. */
  metric(name: string): Promise<number>;
}

/** Settings of a service. */
interface HostileSettings {
  /** Further items of the configuration. */
  readonly items?: Readonly<Record<string, unknown>>;
  /** Statements of a user with many; default 10,000. */
  readonly statements?: number;
  /** Files that the process may open; absent: as this process. */
  readonly files?: number;
}

/** Starts it. */
export async function startHostile({
  items,
  statements,
  files,
}: HostileSettings = {}): Promise<HostileService> {
  const folder = newFolder();
  const dataset = writeConfig(folder, hostileDataset(statements), "dataset.json");
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.datasets": [dataset],
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": TOKEN,
    "authorizer.tokens": [{ name: "other", token: OTHER_TOKEN, scopes: ["replicate", "read"] }],
    "authorizer.audit.directory": join(folder, "audit"),
    "authorizer.passwords.enabled": true,
    "authorizer.decision_log.include": "denied",
    "authorizer.decision_log.directory": join(folder, "decisions"),
    ...items,
  });
  const program = await startProbed(config, folder, files === undefined ? {} : { files });
  const memory = (field: string): number => {
    const status = readFileSync(`/proc/${program.child.pid}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1]) * 1024;
  };
  return {
    program,
    token: TOKEN,
    ask: (agent) => ask(program.service, agent),
    busyMs: () => {
      const { pid } = program.child;
      const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, "utf8");
      // Behind the name, which may have spaces, the fields begin with the third; these are the 14th and 15th.
      const [user, system] = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .slice(11, 13);
      return (Number(user) + Number(system)) * TICK_MS;
    },
    resident: () => memory("VmRSS"),
    anonymous: () => memory("RssAnon"),
    longestHold: () => longestHold(program),
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
