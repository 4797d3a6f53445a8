/** Workers that end: for as long as they answer they answer as before, and none is left behind. */

import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { ask, askBoth, isWorker, TOKEN, workerPids } from "./worker-requests.ts";

let program: RunningProgram;
afterEach(async () => {
  const pids = workerPids(program);
  await program.end("SIGKILL");
  await vi.waitFor(() => expect(pids.filter(isWorker)).toEqual([]), 60_000);
  cleanUp();
});

async function startWorkers(more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const folder = newFolder();
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.workers": 2,
    "authorizer.shutdown_delay": "10m",
    "database.type": "local",
    "database.local.path": `${folder}/data`,
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": TOKEN,
    ...more,
  });
  program = await start(["--config", config], folder);
}

/** Opens a watch at each of the workers; returns what each of them has told so far. */
async function watchBoth(): Promise<readonly (() => string)[]> {
  const told = new Map<string, () => string>();
  while (told.size < 2) {
    const agent = new Agent();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const asked = request(`${program.service}/api/v1/watch`, { agent, headers }).end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    answer.on("error", () => undefined);
    let text = "";
    answer.on("data", (piece) => {
      text += piece;
    });
    const id = String(answer.headers["x-request-id"]);
    told.set(id.slice(0, id.lastIndexOf("-")), () => text);
  }
  return [...told.values()];
}

it("tell the readers of changes what the others commit, for as long as they answer", async () => {
  await startWorkers();
  const watches = await watchBoth();
  program.child.kill("SIGTERM");
  const readiness = () => ask(program.service, "GET", "/readyz");
  await expect.poll(async () => (await askBoth(4, readiness)).map(({ status }) => status)).not.toContain(200);
  const made = await ask(program.service, "POST", "/api/v1/auth/users", { username: "alice" });
  expect(made.status).toBe(201);
  for (const told of watches) await expect.poll(told).toContain('"users":["alice"]');
});

it("leave no process behind where one cannot take the place of another", async () => {
  // Each process has a file of its own in it.
  const records = join(newFolder(), "records");
  await startWorkers({ "authorizer.audit.directory": records });
  const before = workerPids(program);
  rmSync(records, { recursive: true });
  writeFileSync(records, "no folder");
  for (const pid of before) process.kill(pid, "SIGKILL");
  const failed = () => program.stdout().split("a worker could not be started").length - 1;
  await expect.poll(failed).toBeGreaterThan(2);
  rmSync(records);
  await expect
    .poll(async () => (await fetch(`${program.metrics}/metrics`)).text())
    .toMatch(/^svc_authorizer_workers 2$/m);
  await expect.poll(() => workerPids(program).length).toBe(2);
});
