/** A worker sees a commit at the beginning of its next request, though nobody has told it (spec/journal §7.2). */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { positionText } from "@svc-authorizer/policy/model/position.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import type { Store } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CHILD = new URL("./children/follower.ts", import.meta.url);

let folder: string;
let store: Store;
let child: ChildProcess;
beforeEach(async () => {
  folder = temporaryFolder();
  store = await openLocalStore({ path: join(folder, "store"), syncWrites: false });
  await put("first");
  child = fork(CHILD, [join(folder, "store")]);
  await once(child, "message");
});
afterEach(async () => {
  child.kill("SIGKILL");
  await store.close();
});

const put = (value: string, users: readonly string[] = []): Promise<number> =>
  store.commit({ put: [{ partition: "user", key: "alice", value }], change: { users } });

async function asked(question = "look"): Promise<unknown> {
  const answer = once(child, "message");
  child.send(question);
  return (await answer)[0];
}

it("after each commit, with what it touched, in order", async () => {
  for (let round = 0; round < 300; round++) {
    const [one, other] = [`${round}-a`, `${round}-b`];
    await put(one, [one]);
    const revision = await put(other, [other]);
    expect(await asked()).toEqual({
      revision: positionText(revision, store.logId, store.history.head.id),
      changes: [{ users: [one] }, { users: [other] }],
    });
    expect(await asked()).toMatchObject({ changes: [] });
  }
});

it("also when it is very far behind: then anything may have changed", async () => {
  let revision = 0;
  await Promise.all(
    Array.from({ length: 1_200 }, async (_, index) => {
      revision = Math.max(revision, await put(`v${index}`, [`u${index}`]));
    }),
  );
  expect(await asked()).toEqual({
    revision: positionText(revision, store.logId, store.history.head.id),
    changes: [{ all: true }],
  });
});

it("and what it held of the folder is freed after it was killed", async () => {
  expect(await asked("hold")).toBe("held");
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  store.clearReaders?.();
  const size = () => statSync(join(folder, "store", "data.mdb")).size;
  const value = "v".repeat(20_000);
  for (let round = 0; round < 50; round++) await put(value + round);
  await store.history.forgetPast();
  const before = size();
  for (let round = 0; round < 300; round++) {
    await put(value + round);
    if (round % 20 === 0) await store.history.forgetPast();
  }
  expect(size() - before).toBeLessThan(4 * 1024 * 1024);
});
