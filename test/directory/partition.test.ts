/** A store keeps the partition of ARNs that it was first opened with. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkWholeStore } from "../../src/directory/upkeep/check-store.ts";
import { rotateSecretKey } from "../../src/directory/upkeep/rotate-key.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { BACKENDS, failingStore } from "./backends.ts";
import { openDirectoryOn, SECRET_KEY } from "./open-test-directory.ts";

const NEW_KEY = "another secret key, long enough to be one";
const REFUSED =
  'authorizer.partition is "acme", but this store was made with "svc", and its policies have ARNs of that partition; set authorizer.partition to "svc", or use an empty store';

describe.each(BACKENDS)("the partition of a store ($name)", (backend) => {
  let store: Store;
  let dispose: () => Promise<void>;
  beforeEach(async () => {
    ({ store, dispose } = await backend.open());
  });
  afterEach(() => dispose());

  async function start(options: Parameters<typeof openDirectoryOn>[1] = {}): Promise<void> {
    const directory = await openDirectoryOn(store, options);
    await directory.close();
  }
  const partition = async () =>
    (await withSnapshot(store, (snapshot) => snapshot.get("meta", "partition")))?.value;

  it("is that of the first start; another one is refused and changes nothing", async () => {
    await start();
    expect(await partition()).toBe('{"partition":"svc"}');
    const { head } = store.history;
    await expect(start({ partition: "acme" })).rejects.toMatchObject({
      code: "invalid_request",
      message: REFUSED,
    });
    await start();
    expect(store.history.head).toEqual(head);
  });

  it("is written in the commit that names the secret key", async () => {
    const failing = failingStore(store, 2);
    await expect(openDirectoryOn(failing)).rejects.toMatchObject({ code: "unavailable" });
    expect(await partition()).toBeUndefined();
    await start({ partition: "acme", secretKey: NEW_KEY });
    const { revision } = store.history.head;
    const { put } = (await store.history.writes(revision))!;
    expect([...put].map(({ key }) => key.replace(/\/.*/, "")).sort()).toEqual([
      "key",
      "partition",
      "sealing",
    ]);
  });

  it("is added to a store that names none at its next start, and nothing else", async () => {
    await start();
    await store.commit({ delete: [{ partition: "meta", key: "partition" }] });
    await expect(start({ secretKey: NEW_KEY })).rejects.toThrow(/^auth\.encrypt\.secret_key is not the key/);
    expect(await partition()).toBeUndefined();
    await start({ partition: "acme" });
    expect((await store.history.writes(store.history.head.revision))?.put).toEqual([
      { partition: "meta", key: "partition", value: '{"partition":"acme"}' },
    ]);
    await expect(start()).rejects.toThrow(
      /^authorizer\.partition is "svc", but this store was made with "acme"/,
    );
  });

  it("is not recorded where all policies that an earlier version stored have another one", async () => {
    const directory = await openDirectoryOn(store);
    const statement = (resource: string) => [{ effect: "allow" as const, action: ["fs:*"], resource }];
    await directory.policies.create({ name: "A", statement: statement("*") });
    await directory.policies.create({
      name: "B",
      statement: statement('["arn:svc:fs:::repository/a","arn:svc:fs:::repository/b"]'),
    });
    await directory.close();
    await store.commit({ delete: [{ partition: "meta", key: "partition" }] });
    const { head } = store.history;
    await expect(start({ partition: "acme" })).rejects.toMatchObject({
      code: "invalid_request",
      message:
        'authorizer.partition is "acme", but the policies in this store have ARNs of "svc"; set authorizer.partition to "svc", or use an empty store',
    });
    expect(store.history.head).toEqual(head);
    await start();
    expect(await partition()).toBe('{"partition":"svc"}');
  });

  it("is not recorded by who only reads a store that an earlier version wrote", async () => {
    await start();
    await store.commit({ delete: [{ partition: "meta", key: "partition" }] });
    const { head } = store.history;
    await start({ upkeep: false });
    expect(store.history.head).toEqual(head);
  });

  it("outlives a rotation of the secret key, and is no finding", async () => {
    await start();
    await rotateSecretKey({ store, oldKey: SECRET_KEY, newKey: NEW_KEY, now: () => 1 });
    const keys = { secretKey: NEW_KEY, previousSecretKey: undefined };
    expect(await checkWholeStore(store, keys)).toEqual([]);
    await expect(start({ secretKey: NEW_KEY, partition: "acme" })).rejects.toThrow(REFUSED);
    await start({ secretKey: NEW_KEY });
  });
});
