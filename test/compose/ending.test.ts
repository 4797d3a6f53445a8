/** The end of a service waits for what it is doing, also where nobody waits for the answer (spec/security §5.2). */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { type RunningService, startService } from "../../src/compose/service.ts";
import { openStore } from "../../src/compose/store/backends.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openJournal } from "../../src/journal/journal-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Commit } from "../../src/store/port.ts";
import { SETTINGS, sharedBy } from "../journal/bed.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";

/** A commit that waits. */
interface HeldCommit {
  /** Resolves when it waits. */
  readonly begun: Promise<void>;
  /** Rejects as the store does. */
  readonly revision: Promise<number>;
  goOn(): void;
}

interface Held {
  readonly service: RunningService;
  /** Makes the next commit of a partition wait, before it is made or before it is answered. */
  hold(partition: string, when: "made" | "answered"): HeldCommit;
  /** The records of the audit log that are on disk. */
  audited(): readonly Record<string, unknown>[];
}

/** Starts a service whose store can be made to answer late. */
async function start(
  config: ConfigObject = {},
  folder = temporaryFolder(),
  openFrom: typeof openStore = openStore,
): Promise<Held> {
  const { values } = configFromObject(config, {
    "database.type": "mem",
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": TOKEN,
    "authorizer.audit.directory": folder,
    "authorizer.audit.output": join(folder, "audit.log"),
    "logging.level": "NONE",
    "ui.enabled": false,
  });
  const waiting: ((commit: Commit, made: () => Promise<number>) => Promise<number> | undefined)[] = [];
  const data = await openData(values, openLog(values), {
    open: async (...asked) => {
      const opened = await openFrom(...asked);
      const commit = opened.store.commit.bind(opened.store);
      const late = (one: Commit) => waiting[0]?.(one, () => commit(one)) ?? commit(one);
      Object.assign(opened.store, { commit: late });
      return opened;
    },
  });
  const service = await startService(data, { version: "0.0.0", env: () => undefined });
  const goes = Promise.withResolvers<void>();
  onTestFinished(() => {
    goes.resolve();
    return service.stop();
  });
  return {
    service,
    hold: (partition, when) => {
      const begun = Promise.withResolvers<void>();
      const revision = Promise.withResolvers<number>();
      waiting.push((commit, made) => {
        if (commit.put?.some((record) => record.partition === partition) !== true) return undefined;
        waiting.shift();
        const done = when === "answered" ? made() : undefined;
        begun.resolve();
        revision.resolve(goes.promise.then(() => done ?? made()));
        return revision.promise;
      });
      return { begun: begun.promise, revision: revision.promise, goOn: () => goes.resolve() };
    },
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

const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };

it("a change whose caller has gone is in the audit log", async () => {
  const { service, hold, audited } = await start();
  const held = hold("user", "answered");
  const caller = new AbortController();
  const asked = fetch(`${service.addresses.service}/api/v1/auth/users`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ username: "alice" }),
    signal: caller.signal,
  });
  await held.begun;
  caller.abort();
  await expect(asked).rejects.toThrow("aborted");
  const stopped = service.stop();
  await refused(service);
  held.goOn();
  await stopped;
  expect(audited()).toContainEqual(expect.objectContaining({ operation: "createUser", user: "alice" }));
});

it("a mail for a new password that was asked for is queued", async () => {
  const { service, hold } = await start({
    "authorizer.passwords.enabled": true,
    "email.smtp_host": "127.0.0.1",
    "email.smtp_port": 1,
    "email.sender": "data@example.com",
  });
  await service.data.directory.users.create({ username: "alice", email: "alice@example.com" });
  const held = hold("outbox", "made");
  const { status } = await fetch(`${service.addresses.user}/api/v1/auth/password/forgot`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ email: "alice@example.com" }),
  });
  expect(status).toBe(204);
  await held.begun;
  const stopped = service.stop();
  await refused(service);
  held.goOn();
  await stopped;
  expect(await held.revision).toBeGreaterThan(0);
});

it("data sets that are read again are in the audit log", async () => {
  const file = join(temporaryFolder(), "set.json");
  const write = (...names: readonly string[]) =>
    writeFileSync(file, JSON.stringify({ format: 1, users: names.map((username) => ({ username })) }));
  write("alice");
  const { service, hold, audited } = await start({ "authorizer.datasets": [file] });
  write("alice", "bob");
  const held = hold("user", "answered");
  const loaded = service.reload(service.data.values);
  await held.begun;
  const stopped = service.stop();
  await refused(service);
  held.goOn();
  await stopped;
  await loaded;
  expect(audited()).toContainEqual(expect.objectContaining({ event: "reload", what: "data sets" }));
});

it("what a node installs once its database is reached is in the audit log", async () => {
  const [engine, cable, folder] = [new MemoryEngine(), { cut: false }, temporaryFolder()];
  const path = join(folder, "copy");
  const openNode = async () => {
    const replica = await openLocalReplica({ path });
    const journal = await openJournal({ engine: sharedBy(engine, cable), replica, settings: SETTINGS });
    return { store: journal, memory: undefined, journal };
  };
  const first = await start({ "authorizer.bootstrap": "none" }, temporaryFolder(), openNode);
  await first.service.stop();
  cable.cut = true;
  const { service, hold, audited } = await start({ "authorizer.bootstrap": "simplified" }, folder, openNode);
  const held = hold("policy", "answered");
  cable.cut = false;
  await held.begun;
  const stopped = service.stop();
  await refused(service);
  held.goOn();
  await stopped;
  expect(audited()).toContainEqual(expect.objectContaining({ event: "setup", actor: "bootstrap" }));
});

it("a change that outlasts the patience of the end is in the audit log", async () => {
  const [engine, folder] = [new MemoryEngine(), temporaryFolder()];
  const shared = sharedBy(engine);
  const { service, audited } = await start({}, folder, async () => {
    const replica = openMemoryStore({ isReplica: true });
    const journal = await openJournal({ engine: shared, replica, settings: SETTINGS });
    return { store: journal, memory: undefined, journal };
  });
  const [begun, goes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  onTestFinished(() => goes.resolve());
  shared.create = async (name, item) => {
    begun.resolve();
    await goes.promise;
    return engine.create(name, item);
  };
  const asked = fetch(`${service.addresses.service}/api/v1/auth/users`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify({ username: "alice" }),
  });
  await begun.promise;
  const stopped = service.stop();
  // The connection is cut when the end has waited long enough for its call.
  await expect(asked).rejects.toThrow();
  await setTimeout(200);
  goes.resolve();
  await stopped;
  expect(audited()).toContainEqual(expect.objectContaining({ operation: "createUser", user: "alice" }));
});

it("a start that fails leaves its audit log to the next one", async () => {
  const folder = temporaryFolder();
  const file = join(temporaryFolder(), "set.json");
  writeFileSync(file, JSON.stringify({ format: 1, users: [{ name: "alice" }] }));
  await expect(start({ "authorizer.datasets": [file] }, folder)).rejects.toThrow("nothing was loaded");
  await start({}, folder);
  const chains = readdirSync(folder).filter((name) => name !== "audit.log");
  expect(chains).toEqual([expect.stringMatching(/-0$/)]);
});
