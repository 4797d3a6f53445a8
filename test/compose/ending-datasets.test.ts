/** The end of a service does not wait for data sets that are loaded, at its start or again. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { startService } from "../../src/compose/service.ts";
import { openStore } from "../../src/compose/store/backends.ts";
import { configFromObject } from "../../src/config/load.ts";
import type { Stage } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** More than are applied at once. */
const USERS = 4_000;
const SECRET = "TheSecretOfTheUser";

/** The moments of a load. */
type Moment = "before it" | "while it is read" | "while it is compared" | "while it is staged";
const MOMENTS: readonly Moment[] = [
  "before it",
  "while it is read",
  "while it is compared",
  "while it is staged",
];

/** Opens the data of a service, and calls at each moment of a load what is asked for it. */
async function opened() {
  const folder = temporaryFolder();
  const [source, output] = [join(folder, "set.json"), join(folder, "log")];
  const at = new Map<Moment, () => void>();
  const { values } = configFromObject(
    {},
    {
      "database.type": "local",
      "database.local.path": join(folder, "store"),
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "authorizer.datasets": [source],
      "authorizer.datasets_mode": "sync",
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
      "logging.output": output,
      "ui.enabled": false,
    },
  );
  const data = await openData(values, openLog(values), {
    open: async (...asked) => {
      const found = await openStore(...asked);
      const stage = found.store.stage?.bind(found.store);
      if (stage === undefined) throw new Error("the store stages nothing");
      const staging = async (...change: Parameters<typeof stage>): Promise<Stage> => {
        at.get("while it is staged")?.();
        return stage(...change);
      };
      Object.assign(found.store, { stage: staging });
      return found;
    },
  });
  const { close } = data;
  onTestFinished(close);
  const { viewing } = data.directory.batches;
  data.directory.batches.viewing = (...asked) => {
    at.get("while it is read")?.();
    return viewing(...asked);
  };
  const env = (): string => {
    at.get("while it is compared")?.();
    return SECRET;
  };
  const write = (count: number): void => {
    const users = Array.from({ length: count }, (_, index) => ({ username: `user${index}` }));
    const keys = [{ access_key_id: "AKIAOFTHEFIRSTUSER", secret_access_key_env: "SECRET" }];
    writeFileSync(
      source,
      JSON.stringify({
        format: 1,
        users: users.map((user, index) => (index === 0 ? { ...user, credentials: keys } : user)),
      }),
    );
  };
  const countUsers = async () => (await data.directory.batches.state({ secrets: false })).users.size;
  return { data, values, env, at, write, countUsers, log: () => readFileSync(output, "utf8") };
}

it.each(MOMENTS)("a start is broken off %s, with nothing loaded", async (moment) => {
  const { data, env, at, write, countUsers } = await opened();
  const ending = new AbortController();
  write(USERS);
  if (moment === "before it") ending.abort();
  at.set(moment, () => ending.abort());
  let count: number | undefined;
  const close = data.close;
  Object.assign(data, {
    close: async () => {
      count = await countUsers();
      await close();
    },
  });
  const started = startService(data, { version: "0.0.0", env, ending: ending.signal });
  const error = await started.catch((thrown: unknown) => thrown);
  expect(error).toBe(ending.signal.reason);
  expect(count).toBe(0);
});

it.each(MOMENTS.slice(1))("what is read again is broken off %s, without an error", async (moment) => {
  const { data, values, env, at, write, countUsers, log } = await opened();
  write(1);
  const service = await startService(data, { version: "0.0.0", env });
  write(USERS);
  const { promise, resolve } = Promise.withResolvers<void>();
  let stopped: Promise<void> | undefined;
  at.set(moment, () => {
    stopped ??= service.stop();
    resolve();
  });
  const { closeStore } = data;
  let count: number | undefined;
  Object.assign(data, {
    closeStore: async () => {
      count = await countUsers();
      await closeStore();
    },
  });
  await service.reload(values);
  await promise;
  await stopped;
  expect(count).toBe(1);
  expect(log()).not.toContain("could not be loaded");
});
