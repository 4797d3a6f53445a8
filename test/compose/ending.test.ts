/** The end of a service waits for what it is doing, also where nobody waits for the answer (spec/security §5.2). */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { type RunningService, startService } from "../../src/compose/service.ts";
import { openStore } from "../../src/compose/store/backends.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import type { ConfigValues } from "../../src/config/table.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";

interface Held {
  readonly service: RunningService;
  readonly values: ConfigValues;
  /** Resolves when the next commit has happened, which is not answered before {@link Held.answer}. */
  hold(): Promise<void>;
  answer(): void;
  /** The records of the audit log that are on disk. */
  audited(): readonly Record<string, unknown>[];
}

/** Starts a service whose store can be made to answer late. */
async function start(config: ConfigObject = {}): Promise<Held> {
  const folder = temporaryFolder();
  const { values } = configFromObject(config, {
    "database.type": "mem",
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": TOKEN,
    "authorizer.audit.directory": folder,
    "logging.level": "NONE",
    "ui.enabled": false,
  });
  let held: PromiseWithResolvers<void> | undefined;
  const answered = Promise.withResolvers<void>();
  const data = await openData(values, openLog(values), {
    open: async (...asked) => {
      const opened = await openStore(...asked);
      const commit = opened.store.commit.bind(opened.store);
      const late: typeof commit = async (one) => {
        const revision = await commit(one);
        const waiting = held;
        held = undefined;
        waiting?.resolve();
        if (waiting !== undefined) await answered.promise;
        return revision;
      };
      Object.assign(opened.store, { commit: late });
      return opened;
    },
  });
  const service = await startService(data, { version: "0.0.0", env: () => undefined });
  onTestFinished(() => {
    answered.resolve();
    return service.stop();
  });
  return {
    service,
    values,
    hold: () => {
      held = Promise.withResolvers();
      return held.promise;
    },
    answer: () => answered.resolve(),
    audited: () =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".jsonl"))
        .flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"))
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

/** Waits until nobody can connect any more, and a moment longer: what does not wait for the store is over. */
async function refused({ addresses }: RunningService): Promise<void> {
  for (const url of [addresses.service, addresses.user, addresses.metrics]) {
    await expect.poll(() => fetch(url).catch(() => "refused")).toBe("refused");
  }
  await setTimeout(200);
}

it("a change whose caller has gone is in the audit log", async () => {
  const { service, hold, answer, audited } = await start();
  const isHeld = hold();
  const caller = new AbortController();
  const asked = fetch(`${service.addresses.service}/api/v1/auth/users`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ username: "alice" }),
    signal: caller.signal,
  });
  await isHeld;
  caller.abort();
  await expect(asked).rejects.toThrow("aborted");
  const stopped = service.stop();
  await refused(service);
  answer();
  await stopped;
  expect(audited()).toContainEqual(expect.objectContaining({ operation: "createUser", user: "alice" }));
});
