/** `check-store` names whatever is wrong in what a store has of mirrors, and whoever acts on it does not. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MirrorRecords } from "../../src/mirroring/mirror-records.ts";
import { Progress } from "../../src/mirroring/progress/progress.ts";
import { checkMirrors } from "../../src/mirroring/upkeep/check-mirrors.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { DamagedRecord, type RecordPut, type Store, withSnapshot } from "../../src/store/port.ts";
import { openedEach } from "../opened.ts";
import { World } from "./world.ts";

/** Text of the record of a mirror that stands in the file of a store as it is. */
const NEEDLE = "needle-in-the-record";
const PARTITIONS = ["mirror", "mirror_progress"];

const world = openedEach(() => World.open());

/** A mirror that has shown two commits, waits for a third, and has a branch that was never shown. */
async function mirrored(): Promise<Store> {
  const { store, repository } = world;
  await new MirrorRecords(store).add({ ...world.asked, createdBy: NEEDLE }, () => {});
  const controller = world.controller();
  for (const a of ["1", "2"]) repository.commit("main", repository.upload({ a }));
  await controller.pass();
  world.replicate();
  await world.pass(controller);
  const content = repository.upload({ a: "3", b: "4", "b/c": "5" });
  const head = repository.commit("main", content);
  repository.commit("dev", content, { parents: [head] });
  for (let at = 0; at < 3; at += 1) await world.pass(controller);
  return store;
}

async function recordsOf(store: Store): Promise<RecordPut[]> {
  return withSnapshot(store, async (snapshot) => {
    const found: RecordPut[] = [];
    for (const partition of PARTITIONS)
      for (const { key, value } of await snapshot.scan(partition, { limit: 1_000 }))
        found.push({ partition, key, value });
    return found;
  });
}

const STATE = `${"0123456789abcdef"}/state`;
const LOG = (piece: number): string => `0123456789abcdef/log/${String(piece).padStart(10, "0")}`;
const COMMIT = "f".repeat(64);
type Json = Record<string, never> & { [member: string]: never };

/** Changes the JSON of a record. */
async function edit(
  store: Store,
  partition: string,
  key: string,
  change: (value: Json) => unknown,
): Promise<void> {
  const stored = await withSnapshot(store, (snapshot) => snapshot.get(partition, key));
  const value = JSON.stringify(change(JSON.parse(stored?.value ?? "{}")));
  await store.commit({ put: [{ partition, key, value }] });
}

const state = (change: (state: Json) => unknown) => (store: Store) =>
  edit(store, "mirror_progress", STATE, change);
const mirror = (change: (record: Json) => unknown) => (store: Store) =>
  edit(store, "mirror", "sales-west", change);
const branch = (change: (main: Json) => unknown) =>
  state((all) => {
    const branches = all["branches"] as unknown as Json;
    return { ...all, branches: { ...branches, main: change(branches["main"] as unknown as Json) } };
  });
const raw = (partition: string, key: string, value: string) => (store: Store) =>
  store.commit({ put: [{ partition, key, value }] });
const lost = (partition: string, key: string) => (store: Store) =>
  store.commit({ delete: [{ partition, key }] });

/** The damage that is planted, the finding that names it, and a part of its message. */
const DAMAGE: readonly [
  what: string,
  kind: string,
  message: string,
  plant: (store: Store) => Promise<unknown>,
][] = [
  ["a mirror that is no JSON", "unreadable", "it is no JSON", raw("mirror", "sales-west", "{")],
  [
    "a mirror without a namespace",
    "unreadable",
    "its storage_namespace is missing",
    mirror(({ storage_namespace: _, ...rest }) => rest),
  ],
  [
    "a mirror with another type",
    "unreadable",
    "its created_at must be a number",
    mirror((one) => ({ ...one, created_at: "now" })),
  ],
  [
    "a mirror of a later version",
    "unknown_member",
    "its tags is a member that this version does not know",
    mirror((one) => ({ ...one, tags: true })),
  ],
  [
    "two mirrors with one uid",
    "duplicate",
    "sales-east has the same uid",
    (store) =>
      edit(store, "mirror", "sales-east", () => ({
        uid: "0123456789abcdef",
        region: "east",
        source_repository: "other",
        storage_namespace: "local://e",
        branches: { include: [], exclude: [] },
        created_at: 1,
        created_by: "x",
      })),
  ],
  [
    "a mirror of a mirror",
    "mismatch",
    "its source sales-west is a mirror itself",
    (store) =>
      edit(store, "mirror", "tales", () => ({
        uid: "u",
        region: "east",
        source_repository: "sales-west",
        storage_namespace: "local://e",
        branches: { include: [], exclude: [] },
        created_at: 1,
        created_by: "x",
      })),
  ],
  [
    "a namespace inside another",
    "mismatch",
    "its storage namespace is that of sales-west",
    (store) =>
      edit(store, "mirror", "tales", () => ({
        uid: "u",
        region: "west",
        source_repository: "other",
        storage_namespace: "local://sales-west/in",
        branches: { include: [], exclude: [] },
        created_at: 1,
        created_by: "x",
      })),
  ],
  ["progress of no mirror", "orphan", "no mirror has this progress", lost("mirror", "sales-west")],
  [
    "an unknown key",
    "unreadable",
    "it has a key that this version does not know",
    raw("mirror_progress", "0123456789abcdef/tags", "{}"),
  ],
  ["a state that is no JSON", "unreadable", "it is no JSON", raw("mirror_progress", STATE, "")],
  ["a lost state", "mismatch", "there is a log, and no state", lost("mirror_progress", STATE)],
  [
    "a state of a later version",
    "unknown_member",
    "its branches.main.tags is a member",
    branch((one) => ({ ...one, tags: [] })),
  ],
  [
    "a head that is no head",
    "unreadable",
    "its branches.main.heads.0.commit must be the id of a commit",
    branch((one) => ({ ...one, heads: [{ index: 9, at: 1, commit: "../../x" }] })),
  ],
  [
    "too many heads",
    "unreadable",
    "items, and may have",
    branch((one) => ({
      ...one,
      heads: Array.from({ length: 1_002 }, (_, index) => ({ index, at: 1, commit: COMMIT })),
    })),
  ],
  [
    "heads in another order",
    "mismatch",
    'its branch "main": the head 0 is not behind',
    branch((one) => ({ ...one, heads: [{ index: 0, at: 1, commit: COMMIT }] })),
  ],
  [
    "a head that is still to come",
    "mismatch",
    "a head is not before the next one",
    branch((one) => ({ ...one, next: 1 })),
  ],
  [
    "a place that is not whole",
    "mismatch",
    `it shows the commit ${COMMIT}, which is not complete`,
    branch((one) => ({ ...one, position: { index: 0, at: 1, commit: COMMIT } })),
  ],
  [
    "an intent that is not whole",
    "mismatch",
    `it is to show the commit ${COMMIT}, which is not complete`,
    branch((one) => ({ ...one, intent: { index: 2, at: 1, commit: COMMIT } })),
  ],
  [
    "verified ranges of no commit",
    "mismatch",
    `its verified has the commit ${COMMIT}, which was never recorded`,
    state((one) => ({ ...one, verified: { [COMMIT]: ["r"] } })),
  ],
  [
    "what is gone of no commit",
    "mismatch",
    `its gone has the commit ${COMMIT}, which was never recorded`,
    state((one) => ({ ...one, gone: [[`${COMMIT}/r`, 1, "d", 1]] })),
  ],
  [
    "other pieces than are counted",
    "mismatch",
    "it counts 9 pieces of the log",
    state((one) => ({ ...one, pieces: 9 })),
  ],
  ["a lost piece", "mismatch", "piece 0 of the log is missing before it", lost("mirror_progress", LOG(0))],
  ["a piece that is no list", "unreadable", "it is no list of lines", raw("mirror_progress", LOG(0), "{}")],
  [
    "a line that is none",
    "unreadable",
    "line 0 must be the id of a commit",
    raw("mirror_progress", LOG(0), "[7]"),
  ],
  [
    "a commit that is complete, and not recorded",
    "mismatch",
    `the commit ${COMMIT} is complete, and was never recorded`,
    (store) =>
      edit(store, "mirror_progress", LOG(0), (lines) => [...(lines as unknown as unknown[]), COMMIT]),
  ],
  [
    "a commit that was recorded before its parent",
    "mismatch",
    `was recorded before its parent ${"e".repeat(64)}`,
    (store) =>
      edit(store, "mirror_progress", LOG(0), (lines) => [
        ...(lines as unknown as unknown[]),
        [COMMIT, "m", 1, "e".repeat(64)],
      ]),
  ],
  [
    "a commit that is complete before its parent",
    "mismatch",
    "is complete, and its parent",
    (store) =>
      edit(store, "mirror_progress", LOG(0), (lines) => [
        ["e".repeat(64), "m", 1],
        [COMMIT, "m", 1, "e".repeat(64)],
        COMMIT,
        ...(lines as unknown as unknown[]),
      ]),
  ],
  [
    "a commit that was recorded twice",
    "duplicate",
    "was recorded before",
    (store) =>
      edit(store, "mirror_progress", LOG(0), (lines) => [
        ...(lines as unknown as unknown[]),
        ...(lines as unknown as unknown[]),
      ]),
  ],
];

describe("the check of mirrors", () => {
  it("finds nothing in what controllers wrote, and says what it read", async () => {
    const store = await mirrored();
    expect(await checkMirrors(store)).toEqual({
      findings: [],
      mirrors: [{ mirror: "sales-west", branches: 2, recorded: 4, complete: 2, has_state: true }],
    });
    const none = openMemoryStore();
    await new MirrorRecords(none).add(world.asked, () => {});
    expect((await checkMirrors(none)).mirrors).toMatchObject([{ mirror: "sales-west", has_state: false }]);
  });

  it.each(DAMAGE)("names %s, and changes nothing", async (_, kind, message, plant) => {
    const store = await mirrored();
    await plant(store);
    const before = await recordsOf(store);
    const { findings } = await checkMirrors(store);
    expect(findings).toContainEqual(
      expect.objectContaining({ kind, message: expect.stringContaining(message) }),
    );
    expect(await recordsOf(store)).toEqual(before);
  });

  it("tells how many more there are, of many", async () => {
    const store = await mirrored();
    const lines = Array.from({ length: 500 }, (_, at) => String(at).padStart(64, "0"));
    await raw("mirror_progress", LOG(0), JSON.stringify(lines))(store);
    const { findings } = await checkMirrors(store);
    expect(findings).toHaveLength(101);
    expect(findings.at(-1)?.message).toMatch(/^\d{3} more were found/);
  });

  it("never fails, whatever a record has, and nobody acts on what it calls unreadable", async () => {
    const sound = await recordsOf(await mirrored());
    const property = fc.asyncProperty(
      fc.nat(sound.length - 1),
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.constantFrom("null", "[]", "{}", '""', "[[]]", '{"branches":null}'),
      ),
      fc.boolean(),
      fc.nat(),
      async (at, value, isCut, end) => {
        const store = openMemoryStore();
        const { partition = "", key = "", value: before = "" } = sound[at] ?? {};
        const now = isCut ? before.slice(0, end % before.length) : value;
        await store.commit({ put: sound });
        await store.commit({ put: [{ partition, key, value: now }] });
        const { findings } = await checkMirrors(store);
        const isUnreadable = findings.some((one) => one.kind === "unreadable" && one.key === key);
        expect(isUnreadable || JSON.stringify(findings).length > 2, now).toBe(true);
        if (!isUnreadable) return;
        const reading =
          partition === "mirror" ? new MirrorRecords(store).all() : Progress.load(store, "0123456789abcdef");
        await expect(reading).rejects.toBeInstanceOf(DamagedRecord);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it("names records whose bytes changed on the disk, and goes on behind them", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "check-mirrors-")), "store");
    const put = await recordsOf(await mirrored());
    const first = await openLocalStore({ path: folder, syncWrites: true });
    await first.commit({ put });
    await first.close();
    const file = join(folder, "data.mdb");
    const bytes = readFileSync(file);
    // In the record, and not in the entry of the log that wrote it.
    for (const needle of [`"created_by":"${NEEDLE}`, '"goneAtSource":0']) {
      const at = bytes.indexOf(needle);
      expect(at).toBeGreaterThan(0);
      bytes[at + needle.length - 1]! ^= 1;
    }
    writeFileSync(file, bytes);
    const store = await openLocalStore({ path: folder, syncWrites: true });
    const { findings } = await checkMirrors(store);
    await store.close();
    rmSync(join(folder, ".."), { recursive: true, force: true });
    expect(findings.map(({ kind, key }) => `${kind} ${key}`)).toEqual([
      "damaged sales-west",
      `damaged ${STATE}`,
    ]);
  });
});
