/** Calls that something before the data server holds until after the client's time limit: nothing goes back, and all arrives (M10). */
import { expect, it } from "vitest";
import { openedEach } from "../opened.ts";
import { BY_COMMIT_ID, type Sabotage } from "./sabotage.ts";
import { World } from "./world.ts";

const LATE_MS = 200_000;
/** Time limit of every call: a busy machine answers those that are not held within it. */
const LIMIT_MS = 2_000;
const world = openedEach(() => World.open());

const commit = (branch: string): void => {
  const { repository } = world;
  repository.commit(branch, repository.upload({ a: `${Math.random()}` }));
  world.replicate();
};

/** Holds one call of a kind, the first or a later one, through everything that the source does meanwhile. */
async function held(kind: string, number: number, sabotage?: Sabotage, setBy = 0): Promise<void> {
  world.timeoutMs = LIMIT_MS;
  for (const branch of ["main", "dev"]) commit(branch);
  const controller = world.controller(sabotage);
  await controller.pass();
  await world.pass(controller);
  expect(world.behind()).toEqual([]);
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  let left = number;
  world.destination.fault = (call) => {
    if (call === kind) left -= 1;
    return call === kind && left === 0 ? { until } : "none";
  };
  const pass = async (): Promise<void> => {
    world.clock += 10_000;
    await controller.pass().catch(() => undefined);
  };
  const { repository } = world;
  commit("main");
  commit("new");
  repository.deleteBranch("dev");
  for (let at = 0; at < 5; at += 1) await pass();
  expect(left).toBeLessThanOrEqual(0);
  for (const branch of ["main", "dev", "new"]) commit(branch);
  for (let at = 0; at < 3; at += 1) await pass();
  expect(world.behind()).toEqual([]);
  world.setBy = setBy;
  if (setBy > 0) for (let at = 0; at < 3; at += 1) await pass();
  const before = world.destination.changes;
  release();
  await expect.poll(() => world.destination.changes).toBeGreaterThan(before);
  world.clock += LATE_MS;
  for (let at = 0; at < 3; at += 1) await pass();
}

const KINDS = [
  ["a hard reset", "PUT branches hard_reset", 1],
  ["the creation of a fence", "POST branches", 1],
  ["the creation of a branch", "POST branches", 3],
  ["the deletion of a fence or of a branch", "DELETE branches", 1],
  ["the deletion of another one", "DELETE branches", 2],
  ["the deletion of a third one", "DELETE branches", 3],
  ["a reset of what is staged", "PUT branches", 1],
] as const;

it.each(KINDS)("%s that comes late moves no branch back", async (_, kind, number) => {
  await held(kind, number);
  expect(world.violations).toEqual([]);
  expect(world.behind()).toEqual([]);
});

it.each(KINDS)(
  "%s that comes late is seen where the clock was set forward meanwhile",
  async (_, kind, number) => {
    await held(kind, number, undefined, LATE_MS);
    expect(world.violations).toEqual([]);
    expect(world.behind()).toEqual([]);
  },
);

it("a hard reset that comes late is seen where branches are pointed at commits", async () => {
  await held("PUT branches hard_reset", 1, BY_COMMIT_ID);
  expect(world.violations.filter((one) => one.startsWith("M3"))).not.toEqual([]);
});
