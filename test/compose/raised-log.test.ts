/** Nodes of version 0.2 stop before a shared log has what they would let pass (spec/journal §4.9). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DataParts, openData, openLog } from "../../src/compose/data.ts";
import { configFromObject } from "../../src/config/load.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Format of the log that nodes of version 0.2 write, and the newest that they know. */
const EARLIER = 1;

let logFile: string;
let earlier: JournalStore;
let data: DataParts;
beforeEach(async () => {
  logFile = join(temporaryFolder(), "log");
  const engine = new MemoryEngine();
  earlier = await openNode(sharedBy(engine), {}, { knownFormat: EARLIER });
  await earlier.commit({ put: [{ partition: "meta", key: "mark/test", value: "{}" }] });
  const { values } = configFromObject({
    "database.type": "mem",
    "auth.encrypt.secret_key": "k".repeat(40),
    "logging.output": [logFile],
  });
  const journal = await openNode(sharedBy(engine));
  data = await openData(values, openLog(values), {
    open: async () => ({ store: journal, memory: undefined, journal }),
  });
  const { users, policies } = data.directory;
  await users.create({ username: "alice", properties: { inactive: true, expires_at: 1 } });
  await users.create({ username: "bob" });
  await users.update("alice", { friendly_name: "Alice" });
  await policies.create({ name: "P", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] });
  await data.directory.credentials.create("bob");
});
afterEach(async () => {
  await data.close();
  await earlier.close();
});

it("follow what they know", async () => {
  await earlier.catchUp();
  expect(earlier.revision).toBe(data.store.history.head.revision);
  await earlier.health();
  expect(data.store.namesEntries?.()).toBe(false);
});

const TO_BE_OBEYED: readonly [string, () => Promise<unknown>][] = [
  ["an inactive user", () => data.directory.users.update("alice", { inactive: true })],
  [
    "a user who is made inactive among others",
    () =>
      data.directory.batches.apply([{ op: "put_user", user: { username: "carol", inactive: true } }], {
        managed: false,
      }),
  ],
  ["an access key that expires", () => data.directory.credentials.create("bob", { expires_in: 60 })],
  ["a temporary key", () => data.directory.credentials.createTemporary("bob", 60)],
  [
    "a user of the service",
    () =>
      data.directory.serviceUsers.createKey(
        {
          username: "svc-mirror",
          worksFor: "m-1",
          policy: { statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }] },
        },
        60,
      ),
  ],
  ["a mirror", () => data.store.commit({ put: [{ partition: "mirror", key: "r", value: "{}" }] })],
];

it.each(TO_BE_OBEYED)("stop before %s, and this node says why", async (_, write) => {
  const { revision } = data.store.history.head;
  await write();
  await expect(earlier.catchUp()).rejects.toThrow(/use a newer program/);
  expect(earlier.revision).toBe(revision);
  await expect(earlier.health()).rejects.toMatchObject({ code: "unavailable" });
  expect(data.store.namesEntries?.()).toBe(true);
  // Once.
  const raised = data.store.history.head.revision;
  await data.directory.credentials.create("bob", { expires_in: 60 });
  expect(data.store.history.head.revision).toBe(raised + 1);
  await data.logger.close();
  expect(readFileSync(logFile, "utf8").match(/the format of the log was raised/g)).toHaveLength(1);
});
