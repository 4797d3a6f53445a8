import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isDecision } from "@svc-authorizer/policy/records/record.ts";
import { afterEach, describe, expect, it } from "vitest";
import { linesOf } from "../decision-log/test-log.ts";
import { cleanUp, newFolder, run, start, writeConfig } from "../end-to-end/program.ts";
import { sized } from "./size.ts";

afterEach(cleanUp);

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const KILLS = sized(2, 50);
const CONNECTIONS = 16;

describe("proof: the decision log of a service that is killed under load", () => {
  it(`has the record of every answered decision (${KILLS} times)`, async () => {
    const folder = newFolder();
    const directory = join(folder, "decisions");
    const config = writeConfig(folder, {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "authorizer.node_name": "node-1",
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": directory,
      "authorizer.decision_log.sync": "each",
      "authorizer.decision_log.segment_bytes": "64 KiB",
      "database.type": "local",
      "database.local.path": join(folder, "data"),
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": TOKEN,
    });
    const answered: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const program = await start(["--config", config], folder);
      const stopped = { now: false };
      const callers = Array.from({ length: CONNECTIONS }, () => ask(program.service, answered, stopped));
      const wanted = answered.length + 100 + Math.floor(Math.random() * 400);
      while (answered.length < wanted) await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await program.end("SIGKILL")).toBe("SIGKILL");
      stopped.now = true;
      await Promise.all(callers);
      const verified = await run(
        ["decision-log", "verify", "--directory", directory, "--config", config],
        folder,
      );
      expect(verified.code, verified.stdout).toBe(0);
      const findings = verified.stdout.split("\n").filter((line) => /\.jsonl:\d+: /.test(line));
      expect(findings.every((line) => line.includes("torn"))).toBe(true);
    }
    const last = await start(["--config", config], folder);
    expect(await last.end()).toBe(0);
    const recorded = new Set(
      linesOf(join(directory, "node-1-0")).map((line) => isDecision(line) && line.request_id),
    );
    expect(answered.length).toBeGreaterThan(KILLS * 100);
    expect(answered.filter((id) => !recorded.has(id))).toEqual([]);
  });
});

/** Asks one question after the other until the service is gone. */
async function ask(url: string, answered: string[], stopped: { now: boolean }): Promise<void> {
  while (!stopped.now) {
    const id = randomUUID();
    try {
      const answer = await fetch(`${url}/access/v1/check`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${TOKEN}`,
          "content-type": "application/json",
          "x-request-id": id,
        },
        body: JSON.stringify({ user: "alice", required: { action: "fs:ReadObject", resource: "*" } }),
      });
      await answer.text();
      if (answer.status === 200) answered.push(id);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
