/** Records of mirrors in the store. */
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Mirror } from "../../src/mirroring/mirror.ts";
import { MirrorRecords, MOST_MIRRORS } from "../../src/mirroring/mirror-records.ts";
import { sweepProgress } from "../../src/mirroring/progress/sweep-progress.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { CommittedChange, Store } from "../../src/store/port.ts";
import { expectPutBackWhole } from "../store/put-back.ts";

const mirrorOf = (name: string, more: Partial<Mirror> = {}): Mirror => ({
  uid: `uid-${name}`,
  name,
  region: "west",
  sourceRepository: "sales",
  storageNamespace: `local://${name}`,
  branches: { include: ["main", "dev-*"], exclude: ["*secret"] },
  createdAt: 1_700_000_000,
  createdBy: "admin",
  ...more,
});

let store: Store;
let clock = 1_700_000_000;
let records: MirrorRecords;
const changes: CommittedChange[] = [];
beforeEach(() => {
  store = openMemoryStore();
  changes.length = 0;
  store.subscribe((change) => void changes.push(change));
  records = new MirrorRecords(store, () => clock);
});
afterEach(() => store.close());

const found = async (name: string) => {
  const [one] = (await records.all()).filter(({ mirror }) => mirror.name === name);
  if (one === undefined) throw new Error(`no mirror ${name}`);
  return one;
};

describe("a mirror's record", () => {
  it("is read as it was written, and its writes say that every decision may have changed", async () => {
    await records.add(mirrorOf("sales-west"), () => {});
    expect((await records.get("sales-west"))?.mirror).toEqual(mirrorOf("sales-west"));
    await records.replace(await found("sales-west"), mirrorOf("sales-west", { isDeleting: true }), "alice");
    expect((await records.get("sales-west"))?.mirror.isDeleting).toBe(true);
    expect(changes.map(({ change }) => change)).toEqual([{ all: true }, { all: true }]);
    expect(changes.map(({ useCases }) => useCases)).toEqual([[{ actor: "admin" }], [{ actor: "alice" }]]);
  });

  it("takes its name, which rests for a minute after the mirror is gone", async () => {
    await records.add(mirrorOf("sales-west"), () => {});
    const taken = { code: "already_exists", message: "there is a mirror sales-west" };
    const again = () => records.add(mirrorOf("sales-west", { region: "east" }), () => {});
    await expect(again()).rejects.toMatchObject(taken);
    await records.noteGone(await found("sales-west"));
    expect(await records.get("sales-west")).toBeUndefined();
    clock += 59;
    expect(records.hasRested(await found("sales-west"))).toBe(false);
    await expect(again()).rejects.toMatchObject({ message: expect.stringContaining("in about 1 seconds") });
    clock += 1;
    expect(records.hasRested(await found("sales-west"))).toBe(true);
    await records.remove(await found("sales-west"));
    await again();
    expect((await records.get("sales-west"))?.mirror.region).toBe("east");
  });

  it("is not added where a record that was added meanwhile may be in its way", async () => {
    const slow = records.add(mirrorOf("b"), () => {});
    const other = new MirrorRecords(store, () => clock).add(mirrorOf("a"), () => {});
    const outcomes = await Promise.allSettled([slow, other]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("is judged beside all others, without those that are gone", async () => {
    await records.add(mirrorOf("a"), () => {});
    await records.add(mirrorOf("b"), () => {});
    await records.noteGone(await found("a"));
    let seen: readonly string[] = [];
    await records.add(mirrorOf("c"), (others) => {
      seen = others.map(({ name }) => name);
    });
    expect(seen).toEqual(["b"]);
    const refuse = () => {
      throw new Error("in the way");
    };
    await expect(records.add(mirrorOf("d"), refuse)).rejects.toThrow("in the way");
    expect(await records.get("d")).toBeUndefined();
  });

  it("is replaced and removed only as it was read", async () => {
    await records.add(mirrorOf("a"), () => {});
    const before = await found("a");
    await records.replace(before, mirrorOf("a", { branches: { include: [], exclude: [] } }));
    await expect(records.replace(before, mirrorOf("a"))).rejects.toMatchObject({ code: "conflict" });
    await expect(records.remove(before)).rejects.toMatchObject({ code: "conflict" });
    await expect(store.commit({ expect: [before.unchanged] })).rejects.toMatchObject({
      code: "conflict",
    });
    await store.commit({ expect: [(await found("a")).unchanged] });
  });

  it("is one of a bounded number", async () => {
    for (let at = 0; at < MOST_MIRRORS; at += 1) await records.add(mirrorOf(`m${at}`), () => {});
    await expect(records.add(mirrorOf("more"), () => {})).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("and the progress of a mirror stay where a state in which it was not gone is put back meanwhile", async () => {
    const memory = openMemoryStore();
    const { uid } = mirrorOf("a");
    await new MirrorRecords(memory).add(mirrorOf("a"), () => {});
    const put = ["state", "log/0000000000"].map((name) => ({
      partition: "mirror_progress",
      key: `${uid}/${name}`,
      value: "{}",
    }));
    await memory.commit({ put });
    await expectPutBackWhole({
      store: memory,
      change: async () => {
        const kept = new MirrorRecords(memory);
        await kept.remove((await kept.get("a"))!);
      },
      work: (watched) =>
        sweepProgress(watched).catch((error: unknown) => expect(isErrorCode(error, "conflict")).toBe(true)),
    });
  });
});
