/** The answers of a node one of whose workers does not report (spec/journal §7): they say that something is missing. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { ask, askBoth, decision, TOKEN, workerPids } from "./worker-requests.ts";

let program: RunningProgram;
let basic: string;

beforeAll(async () => {
  const folder = newFolder();
  const candidate = {
    version: 1,
    policies: [{ name: "Watch", statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }] }],
  };
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.workers": 2,
    "authorizer.shutdown_delay": "0s",
    "authorizer.shadow.candidate": writeConfig(folder, candidate, "candidate.yaml"),
    "database.type": "local",
    "database.local.path": `${folder}/data`,
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": TOKEN,
  });
  program = await start(["--config", config], folder);
  const api = (method: string, path: string, body?: unknown) =>
    ask(program.service, method, `/api/v1${path}`, body);
  const statement = [{ effect: "allow", action: ["auth:ReadDecisions"], resource: "*" }];
  await api("POST", "/auth/policies", { name: "Watch", statement });
  await api("POST", "/auth/users", { username: "carol" });
  await api("PUT", "/auth/users/carol/policies/Watch");
  const created = JSON.parse((await api("POST", "/auth/users/carol/credentials")).body);
  basic = `Basic ${Buffer.from(`${created.access_key_id}:${created.secret_access_key}`).toString("base64")}`;
}, 60_000);

afterAll(async () => {
  await program.end("SIGKILL");
  cleanUp();
});

const questionOf = (path: string) => () =>
  ask(program.user, "GET", `/api/v1${path}`, undefined, { authorization: basic });
const status = questionOf("/auth/status");
const shadow = questionOf("/shadow/report");

/** The answer of whichever worker answers first. */
async function firstAnswer(question: typeof status): Promise<Record<string, unknown>> {
  const answers = Array.from({ length: 6 }, question);
  for (const answer of answers) answer.catch(() => undefined);
  return JSON.parse((await Promise.any(answers)).body);
}

it("names the number of processes that do not report, and none once all do", async () => {
  await askBoth(8, decision(program.service, "carol"));
  const [silent] = workerPids(program);
  process.kill(silent!, "SIGSTOP");
  try {
    expect((await firstAnswer(status))["decisions"]).toMatchObject({ unanswered: 1 });
    expect(await firstAnswer(shadow)).toMatchObject({ unanswered: 1 });
  } finally {
    process.kill(silent!, "SIGCONT");
  }
  for (const question of [status, shadow]) {
    for (const { body } of await askBoth(4, question)) expect(body).not.toContain("unanswered");
  }
});

it("counts since the start of the newest process: what one that was replaced decided is not known", async () => {
  const before = Date.now();
  const [victim] = workerPids(program);
  process.kill(victim!, "SIGKILL");
  await expect
    .poll(async () => {
      if (workerPids(program).length < 2) return 0;
      const { since } = (await firstAnswer(status))["decisions"] as { since: string };
      return Date.parse(since);
    })
    .toBeGreaterThanOrEqual(before);
  await expect
    .poll(async () => {
      const { candidate } = (await firstAnswer(shadow)) as { candidate: { loaded_at: string } };
      return Date.parse(candidate.loaded_at);
    })
    .toBeGreaterThanOrEqual(before);
});
