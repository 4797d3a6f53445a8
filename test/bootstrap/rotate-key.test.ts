import { afterEach, beforeEach, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { type RotationReport, rotateSecretKey } from "../../src/directory/upkeep/rotate-key.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { codeOf, failingStore } from "../directory/backends.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";

const OLD = "the old key, which is long enough to be one";
const NEW = "the new key, which is long enough to be one";
const KEYS = 120;

let store: Store;
const open = (secretKey: string, previousSecretKey?: string): Promise<OpenedDirectory> =>
  openDirectoryOn(store, {
    secretKey,
    ...(previousSecretKey === undefined ? {} : { previousSecretKey }),
  });

beforeEach(async () => {
  store = openMemoryStore();
  const directory = await open(OLD);
  await directory.batches.apply(
    [
      { op: "put_user", user: { username: "alice" } },
      ...Array.from({ length: KEYS }, (_, index) => ({
        op: "put_credential" as const,
        username: "alice",
        access_key_id: `K${index}`,
        secret_access_key: `secret ${index}`,
      })),
    ],
    { managed: false },
  );
  await directory.close();
});
afterEach(() => store.close());

function rotate(on: Store = store, oldKey = OLD, newKey = NEW): Promise<RotationReport> {
  return rotateSecretKey({ store: on, oldKey, newKey, now: () => 1 });
}

/** Every secret as a directory with these keys shows it. */
async function assertAllOpen(secretKey: string, previous?: string): Promise<void> {
  const directory = await open(secretKey, previous);
  for (let index = 0; index < KEYS; index++) {
    const { secret_access_key } = await directory.credentials.getWithSecret(`K${index}`);
    expect(secret_access_key).toBe(`secret ${index}`);
  }
  await directory.close();
}

it("leaves every secret readable with the new key and none with the old", async () => {
  expect(await rotate()).toEqual({ outcome: "rotated", sealed: KEYS, verified: KEYS });
  expect(await codeOf(open(OLD))).toBe("invalid_request");
  await assertAllOpen(NEW);
  expect(await rotate()).toEqual({ outcome: "already", sealed: 0, verified: KEYS });
});

it.each([false, true])(
  "is taken up by the next run wherever it was killed (the last commit was stored: %s)",
  async (loseAnswers) => {
    const memory = store as ReturnType<typeof openMemoryStore>;
    const image = memory.capture();
    for (let commits = 0; ; commits++) {
      memory.restore(image);
      const failing = failingStore(store, commits);
      failing.loseAnswers = loseAnswers;
      if ((await codeOf(rotate(failing))) === "ok") break;
      const isOver = loseAnswers && commits === 4;
      // Until the last step nothing is lost: both keys together open everything.
      const isBefore = commits === 0 && !loseAnswers;
      if (isBefore) await assertAllOpen(OLD);
      else if (!isOver) await assertAllOpen(NEW, OLD);
      memory.restore(image);
      failing.commitsLeft = commits;
      await codeOf(rotate(failing));
      expect(await rotate()).toMatchObject({ verified: KEYS });
      await assertAllOpen(NEW);
      expect(await codeOf(open(OLD))).toBe("invalid_request");
      expect(commits).toBeLessThan(10);
    }
  },
);

it("refuses keys that do not fit the store, before it writes anything", async () => {
  const state = () => withSnapshot(store, (snapshot) => snapshot.scan("key", { limit: 1_000 }));
  const before = await state();
  expect(await codeOf(rotate(store, "another key altogether"))).toBe("invalid_request");
  expect(await codeOf(rotate(store, OLD, OLD))).toBe("invalid_request");
  expect(
    await codeOf(rotateSecretKey({ store: openMemoryStore(), oldKey: OLD, newKey: NEW, now: () => 1 })),
  ).toBe("invalid_request");
  expect(await state()).toEqual(before);
  await assertAllOpen(OLD);
});

it("refuses, naming it, a secret that opens with neither key, and changes nothing", async () => {
  const record = await withSnapshot(store, (snapshot) => snapshot.get("key", "K7"));
  const value = JSON.stringify({ ...JSON.parse(record?.value ?? ""), secret: "v1.x.y" });
  await store.commit({ put: [{ partition: "key", key: "K7", value }] });
  await expect(rotate()).rejects.toThrow('1 of 120 stored secrets open with neither key: key "K7"');
  const directory = await open(OLD);
  expect((await directory.credentials.getWithSecret("K8")).secret_access_key).toBe("secret 8");
  await directory.credentials.delete("alice", "K7");
  await directory.close();
  expect(await rotate()).toMatchObject({ outcome: "rotated", verified: KEYS - 1 });
});

it("removes the past, also where the run that rotated was killed before it did", async () => {
  const { history } = store;
  const directory = await open(OLD);
  await directory.credentials.delete("alice", "K119");
  await directory.close();
  await history.forgetPast();
  const { revision } = history.head;
  const killed: Store = {
    ...failingStore(store, 100),
    history: { ...history, head: history.head, forgetPast: () => Promise.reject(new Error("killed")) },
  };
  await expect(rotate(killed)).rejects.toThrow("killed");
  expect(await history.keptFrom()).toBe(revision);
  expect(await rotate()).toMatchObject({ outcome: "already" });
  expect(await history.keptFrom()).toBeGreaterThan(revision);
});
