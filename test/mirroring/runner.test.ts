/** The process that acts for all mirrors, on stand-ins. */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MirrorCounters } from "../../src/mirroring/counters.ts";
import { MirrorRecords } from "../../src/mirroring/mirror-records.ts";
import { reportOf } from "../../src/mirroring/mirror-report.ts";
import { Progress } from "../../src/mirroring/progress/progress.ts";
import type { PromotionFailure } from "../../src/mirroring/promotion-failures.ts";
import { MirrorRunner } from "../../src/mirroring/runner.ts";
import { Leases } from "../../src/store/leases.ts";
import type { Store } from "../../src/store/port.ts";
import { World } from "./world.ts";

let world: World;
let records: MirrorRecords;
const runners: MirrorRunner[] = [];
let failures: PromotionFailure[] = [];
/** Milliseconds that the clock of the runners is ahead. */
let ahead = 0;
const now = (): number => Date.now() + ahead;
beforeEach(async () => {
  world = await World.open();
  ahead = 0;
  failures = [];
  records = new MirrorRecords(world.store, () => Math.floor(now() / 1_000));
});
afterEach(async () => {
  for (const runner of runners.splice(0)) await runner.close();
  await world.close();
});

/** The mirrors that there were when the users of others were removed. */
const swept: (readonly string[])[] = [];

function start(store: Store = world.store, scanMs = 50): { runner: MirrorRunner; counters: MirrorCounters } {
  const abort = new AbortController();
  const counters = new MirrorCounters(["west"]);
  const { source, destination } = world.servers({ signal: abort.signal });
  const runner = new MirrorRunner({
    store,
    servers: {
      for: () => ({ source, destinations: new Map([["west", destination]]) }),
      forget: async () => {},
      sweep: async (known) => void swept.push([...known]),
    },
    settings: { scanMs, verifyMs: 20, recheckMissingMs: 600_000, recheckMs: 0, blocksExternal: false },
    counters,
    log: { info() {}, warn() {} },
    tellFailure: (failure) => failures.push(failure),
    abort,
    now,
  });
  runners.push(runner);
  runner.start();
  return { runner, counters };
}

const stateOf = async (): Promise<string> =>
  reportOf(await Progress.stateOf(world.store, world.asked.uid), now()).phase;

async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await what())) {
    if (Date.now() > end) throw new Error(`it does not come: ${what}`);
    await delay(10);
  }
}

async function begin(): Promise<void> {
  world.repository.commit("main", world.repository.upload({ a: "1" }));
  world.replicate();
  await records.add(world.asked, () => {});
}

const isCreated = (): boolean => world.destination.repositories.has("sales-west");
const isActive = async (): Promise<boolean> => (await stateOf()) === "active";
const recorded = async () => (await records.all()).find(({ mirror }) => mirror.name === "sales-west");

describe("a runner", { timeout: 60_000 }, () => {
  it("has the users of mirrors that are no more removed at its start", async () => {
    await begin();
    swept.length = 0;
    start();
    await until(() => swept.length > 0);
    expect(swept).toEqual([[world.asked.uid]]);
  });

  it("mirrors what a record asks for, follows the source, and ends when it is closed", async () => {
    const { runner, counters } = start();
    await begin();
    await until(isCreated);
    ahead += 60_000;
    await until(isActive);
    world.repository.commit("main", world.repository.upload({ b: "1" }));
    world.replicate();
    await until(() => world.behind().length === 0);
    expect(world.violations).toEqual([]);
    await until(() => (counters.regions.get("west")?.promotions ?? 0) === 2);
    await runner.close();
    world.source.calls.clear();
    await delay(200);
    expect(world.source.calls.size).toBe(0);
  });

  it("removes at its start what is left of mirrors that are no more, and nothing of those that are", async () => {
    const keys = [`${world.asked.uid}/state`, "gone-1/log/0000000000", "gone-1/state", "gone-2/state"];
    const state = { term: 1, branches: {}, gone: [], verified: {}, external: 0, goneAtSource: 0, pieces: 0 };
    const value = JSON.stringify(state);
    await begin();
    await world.store.commit({ put: keys.map((key) => ({ partition: "mirror_progress", key, value })) });
    start();
    const left = async () =>
      (await (await world.store.snapshot()).scan("mirror_progress", { limit: 10 })).map(({ key }) => key);
    await until(async () => (await left()).length === 1);
    expect(await left()).toEqual([`${world.asked.uid}/state`]);
  });

  it("looks at nothing again and again where scans are months apart", async () => {
    const looks = vi.spyOn(world.store, "snapshot");
    start(world.store, 2_592_000_000);
    await delay(200);
    expect(looks.mock.calls.length).toBeLessThan(10);
  });

  it("goes on with the branches of a record that was edited", async () => {
    start();
    await begin();
    world.repository.commit("dev", world.repository.upload({ b: "1" }));
    world.replicate();
    await until(isCreated);
    ahead += 60_000;
    await until(() => world.mirror.branches.size === 2);
    const before = await records.get("sales-west");
    if (before === undefined) throw new Error("no record");
    await records.replace(before, { ...before.mirror, branches: { include: ["main"], exclude: [] } });
    await until(() => world.mirror.branches.size === 1 && !world.mirror.branches.has("dev"));
  });

  it("deletes the repository once, lets the name rest, and forgets the mirror with its progress", async () => {
    start();
    await begin();
    await until(isCreated);
    ahead += 60_000;
    await until(isActive);
    const before = await records.get("sales-west");
    if (before === undefined) throw new Error("no record");
    await records.replace(before, { ...before.mirror, isDeleting: true });
    await until(async () => (await recorded())?.goneAt !== undefined);
    expect(isCreated()).toBe(false);
    expect(world.destination.calls.get("DELETE repository")).toBe(1);
    await delay(100);
    expect(await recorded()).toBeDefined();
    ahead += 61_000;
    await until(async () => (await recorded()) === undefined);
    expect(await Progress.stateOf(world.store, world.asked.uid)).toBeUndefined();
    const left = await (await world.store.snapshot()).scan("mirror_progress", { limit: 10 });
    expect(left).toEqual([]);
  });

  it("deletes a mirror while long passes have all places", async () => {
    world.repository.commit("main", world.repository.upload({ a: "1" }));
    for (const name of ["pass-1", "pass-2", "pass-3", "pass-4"]) {
      await records.add({ ...world.asked, uid: name, name, storageNamespace: `local://${name}` }, () => {});
    }
    await records.add({ ...world.asked, isDeleting: true }, () => {});
    world.source.fault = () => ({ delayMs: 3_000 });
    const { counters } = start();
    await until(async () => (await recorded())?.goneAt !== undefined);
    await until(() => world.source.calls.get("GET repository") === 4);
    expect(counters.regions.get("west")?.passes).toBe(0);
  });

  it("asks again where a data server says that it has nothing to delete", async () => {
    await begin();
    start();
    await until(isCreated);
    const before = await records.get("sales-west");
    if (before === undefined) throw new Error("no record");
    world.destination.fault = (call) => (call === "DELETE repository" ? "unknown" : "none");
    await records.replace(before, { ...before.mirror, isDeleting: true });
    await until(() => world.destination.calls.get("DELETE repository") === 1);
    await delay(100);
    expect((await recorded())?.goneAt).toBeUndefined();
    world.destination.fault = () => "none";
    ahead += 181_000;
    await until(async () => (await recorded())?.goneAt !== undefined);
    expect(isCreated()).toBe(false);
  });

  it("makes no second call to delete while the first one may run", async () => {
    await begin();
    start();
    await until(isCreated);
    const before = await records.get("sales-west");
    if (before === undefined) throw new Error("no record");
    world.destination.fault = (call) => (call === "DELETE repository" ? "refused" : "none");
    await records.replace(before, { ...before.mirror, isDeleting: true });
    await until(() => world.destination.calls.get("DELETE repository") === 1);
    world.destination.fault = () => "none";
    await delay(300);
    expect(world.destination.calls.get("DELETE repository")).toBe(1);
    expect(isCreated()).toBe(true);
    ahead += 181_000;
    await until(async () => (await recorded())?.goneAt !== undefined);
    expect(world.destination.calls.get("DELETE repository")).toBe(2);
  });

  it("does not delete the repository of somebody else", async () => {
    await begin();
    world.destination.create("sales-west", { isReadOnly: false });
    start();
    await until(async () => (await stateOf()) === "failed");
    const before = await records.get("sales-west");
    if (before === undefined) throw new Error("no record");
    await records.replace(before, { ...before.mirror, isDeleting: true });
    await until(async () => (await recorded())?.goneAt !== undefined);
    expect(isCreated()).toBe(true);
    expect(world.destination.calls.get("DELETE repository")).toBeUndefined();
  });

  it("counts failures by their kind, and goes on", async () => {
    await begin();
    world.source.fault = () => "busy";
    const { counters } = start();
    const errors = counters.regions.get("west")?.errors;
    await until(() => (errors?.data_server ?? 0) > 0);
    world.source.fault = () => "none";
    await until(isCreated);
    expect(errors).toMatchObject({ store: 0, internal: 0 });
  });

  it("tells the state behind a pass that failed, of a mirror that is deleted, and of one whose region is gone", async () => {
    const { counters } = start();
    await begin();
    await until(isCreated);
    ahead += 60_000;
    await until(isActive);
    const shown = (region = "west") => counters.regions.get(region)?.reports.get("sales-west")?.phase;
    await until(() => shown() === "active");
    world.source.fault = () => "busy";
    await until(() => shown() === "degraded");
    world.source.fault = () => "none";
    await until(() => shown() === "active");
    world.destination.fault = () => "busy";
    const before = await records.get("sales-west");
    if (before === undefined) throw new Error("no record");
    await records.replace(before, { ...before.mirror, isDeleting: true });
    await until(() => shown() === "deleting");
    const deleting = await records.get("sales-west");
    if (deleting === undefined) throw new Error("no record");
    await records.replace(deleting, { ...world.asked, region: "east" });
    await until(() => shown("east") === "failed");
    expect(shown()).toBeUndefined();
  });

  it("tells of a branch that cannot be changed once, and again after it could be", async () => {
    const { counters } = start();
    await begin();
    await until(isCreated);
    ahead += 60_000;
    await until(isActive);
    for (const file of ["b", "c"]) {
      failures = [];
      world.destination.closedBranches.add("main");
      world.repository.commit("main", world.repository.upload({ [file]: "1" }));
      world.replicate();
      await until(() => failures.length > 0);
      const passes = counters.regions.get("west")?.passes ?? 0;
      await until(() => (counters.regions.get("west")?.passes ?? 0) > passes + 2);
      const reason =
        "PUT /repositories/sales-west/branches/main/hard_reset: 403 cannot write to protected branch";
      expect(failures).toEqual([
        { mirror: "sales-west", source_repository: "sales", region: "west", branch: "main", reason },
      ]);
      world.destination.closedBranches.clear();
      await until(() => world.behind().length === 0);
    }
    world.repository.commit("main", world.repository.upload({ d: "1" }));
    world.replicate();
    failures = [];
    world.destination.fault = (call) => (call === "PUT branches hard_reset" ? "lost" : "none");
    await until(() => failures.length > 0);
    expect(failures[0]).toMatchObject({ branch: "main", outcome: "unknown" });
  });

  it("leaves a mirror to the process that has the lease, until that one is gone", async () => {
    let clock = 0;
    const nodeOf = (): Store => {
      const leases = new Leases(world.store, () => clock);
      return Object.assign(Object.create(world.store) as Store, {
        snapshot: () => world.store.snapshot(),
        commit: (commit: never) => world.store.commit(commit),
        subscribe: (listener: never) => world.store.subscribe(listener),
        lease: (name: string) => leases.hold(name),
      });
    };
    await begin();
    const first = start(nodeOf());
    await until(isCreated);
    const second = start(nodeOf());
    ahead += 60_000;
    await until(isActive);
    await delay(200);
    expect(second.counters.regions.get("west")?.passes).toBe(0);
    const told = ({ counters }: { readonly counters: MirrorCounters }) =>
      counters.regions.get("west")?.reports.size;
    expect([told(first), told(second)]).toEqual([1, 0]);
    await first.runner.close();
    await delay(100);
    expect(second.counters.regions.get("west")?.passes).toBe(0);
    clock += 61_000;
    await until(() => (second.counters.regions.get("west")?.passes ?? 0) > 0);
    expect(world.violations).toEqual([]);
  });
});
