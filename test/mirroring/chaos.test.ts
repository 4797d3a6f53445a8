/** A mirror never shows what is not whole and never goes back, whatever fails: on stand-ins, and with variants of the controller that must be seen to be wrong. */
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { MirrorController } from "../../src/mirroring/controller.ts";
import { checkMirrors } from "../../src/mirroring/upkeep/check-mirrors.ts";
import { openedEach } from "../opened.ts";
import {
  BY_COMMIT_ID,
  HIDDEN_ONES_TOO,
  INTENT_FIRST,
  NOTHING_DROPPED,
  noDataCheck,
  type Sabotage,
  UNHARMED,
  walkEndsEarly,
} from "./sabotage.ts";
import { randomOf, World } from "./world.ts";
import { write } from "./writer.ts";

const world = openedEach(() => World.open());

/** Whatever was stored, by whom and however it ended, is sound: `check-store` finds nothing, and the next one can go on. */
async function judgeStored(): Promise<void> {
  const { findings } = await checkMirrors(world.store);
  // The mirror of these controllers has no record.
  const wrong = findings.filter(({ kind }) => kind !== "orphan");
  world.violations.push(...wrong.map(({ key, message }) => `stored: ${key}: ${message}`));
}

/** A run of a writer, a replicator and controllers that are killed, with servers that fail. Returns the number of promotions. */
async function chaos(seed: number, rounds: number, sabotage?: Sabotage, atOnce = 1): Promise<number> {
  const random = randomOf(seed);
  for (let at = 0; at < 3; at += 1) write(world, random);
  let controller = world.controller(sabotage);
  let promotions = 0;
  for (const server of [world.source, world.destination]) {
    server.fault = () => {
      const kind = random(60);
      return kind === 0 ? "busy" : kind === 1 ? "refused" : kind === 2 ? "lost" : "none";
    };
  }
  for (let round = 0; round < rounds; round += 1) {
    for (let at = random(4); at > 0; at -= 1) write(world, random);
    world.replicate(random, random(12));
    if (random(4) === 0) controller = world.controller(sabotage);
    const acting = [controller, ...Array.from({ length: atOnce - 1 }, () => world.controller(sabotage))];
    const passes = acting.map((one) => world.pass(one).catch(() => undefined));
    for (const report of await Promise.all(passes)) promotions += report?.work.promotions ?? 0;
    await judgeStored();
  }
  for (const server of [world.source, world.destination]) server.fault = () => "none";
  world.replicate();
  const last = world.controller(sabotage);
  for (let at = 0; at < 4; at += 1) promotions += (await world.pass(last))?.work.promotions ?? 0;
  return promotions;
}

describe("chaos", () => {
  it.each([1, 2, 3])(
    "never shows what is not whole, never goes back, and arrives: seed %i (M1 to M4, M6 to M9, M11)",
    async (seed) => {
      expect(await chaos(seed, 40)).toBeGreaterThan(5);
      expect(world.violations).toEqual([]);
      expect(world.behind()).toEqual([]);
      // No call makes a tag, runs a hook, or prepares a collection of garbage: these are all that change anything.
      expect([...world.destination.calls.keys()].filter((call) => !call.startsWith("GET")).sort()).toEqual([
        "DELETE branches",
        "POST branches",
        "POST commits",
        "POST metadata",
        "POST repository",
        "PUT branches",
        "PUT branches hard_reset",
      ]);
      expect([...world.mirror.branches.values()].filter(({ isHidden }) => isHidden)).toEqual([]);
    },
  );

  it.each([4, 5])("never goes back where two controllers act at once: seed %i", async (seed) => {
    expect(await chaos(seed, 40, UNHARMED, 2)).toBeGreaterThan(5);
    expect(world.violations).toEqual([]);
    expect(world.behind()).toEqual([]);
  });

  it("is seen where data is not looked for", async () => {
    await chaos(1, 30, noDataCheck("sales"));
    expect(world.violations.filter((one) => one.startsWith("M2"))).not.toEqual([]);
  });

  it("is seen where commits of hidden branches are recorded", async () => {
    await chaos(1, 30, HIDDEN_ONES_TOO);
    expect(world.violations.filter((one) => one.startsWith("M7"))).not.toEqual([]);
  });

  it("is seen where a walk ends at the first commit that is recorded", async () => {
    await chaos(1, 60, walkEndsEarly()).catch(() => {});
    // A commit that is not recorded shows in a history, or keeps what leads to it from ever being shown.
    expect([...world.violations, ...world.behind()]).not.toEqual([]);
  });
});

/** Two heads, of which the mirror has the first; a controller stands in the move to the second, inside the server. */
async function stalledMove(sabotage: Sabotage): Promise<{
  readonly release: () => void;
  readonly stalled: Promise<unknown>;
  readonly next: MirrorController;
}> {
  const { repository } = world;
  const commit = (text: string): string => repository.commit("main", repository.upload({ a: text }));
  commit("1");
  world.replicate();
  const first = world.controller(sabotage);
  await first.pass();
  await world.pass(first);
  commit("2");
  world.replicate();
  let release = (): void => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  world.destination.gate = async (operation) => {
    if (operation !== "hard_reset" || isHeld) return;
    isHeld = true;
    await opened;
  };
  const stalled = world.pass(first).catch(() => undefined);
  while (!isHeld) await turn();
  return { release, stalled, next: world.controller(sabotage) };
}

describe("a hard reset that is held inside the data server", () => {
  /** A second controller takes over, moves the branch to a third head, and the first one's call comes to its end then. */
  async function takeOver(sabotage: Sabotage): Promise<void> {
    const { release, stalled, next } = await stalledMove(sabotage);
    const { repository } = world;
    repository.commit("main", repository.upload({ a: "3" }));
    world.replicate();
    await world.pass(next).catch(() => undefined);
    release();
    await stalled;
    for (let at = 0; at < 3; at += 1) await world.pass(next).catch(() => undefined);
  }

  it("does nothing after another controller has taken over (M10)", async () => {
    await takeOver(UNHARMED);
    expect(world.violations).toEqual([]);
    expect(world.behind()).toEqual([]);
  });

  it("goes back where branches are pointed at commits", async () => {
    await takeOver(BY_COMMIT_ID);
    expect(world.violations.filter((one) => one.startsWith("M3"))).not.toEqual([]);
  });

  it("is seen where nothing is dropped on the way: what the late call read is still true", async () => {
    const { release, stalled, next } = await stalledMove(NOTHING_DROPPED);
    const { repository } = world;
    // Back to the first head: the branch of the mirror need not move, so that nothing else makes the late call fail.
    repository.point("main", repository.log(repository.branches.get("main")?.commit ?? "").at(-1)?.id ?? "");
    world.replicate();
    const [place] = [world.mirror.branches.get("main")?.commit];
    await world.pass(next).catch(() => undefined);
    expect(world.mirror.branches.get("main")?.commit).toBe(place);
    release();
    await stalled;
    await world.pass(next);
    // It is not where the source is, and nothing will move it: the controller believes that it is there.
    expect(world.behind()).toEqual(["main"]);
  });

  it("is dropped there otherwise: a branch that was not moved stays where it is", async () => {
    const { release, stalled, next } = await stalledMove(UNHARMED);
    const { repository } = world;
    repository.point("main", repository.log(repository.branches.get("main")?.commit ?? "").at(-1)?.id ?? "");
    world.replicate();
    await world.pass(next).catch(() => undefined);
    release();
    await stalled;
    await world.pass(next);
    expect(world.violations).toEqual([]);
    expect(world.behind()).toEqual([]);
  });
});

describe("a controller that stops between its intent and the move", () => {
  /** It stops before the call that moves the branch; another one takes over, and then it goes on. */
  async function stopped(sabotage: Sabotage): Promise<void> {
    const { repository } = world;
    const commit = (text: string): string => repository.commit("main", repository.upload({ a: text }));
    commit("1");
    world.replicate();
    let goOn = (): void => {};
    const opened = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isStopped = false;
    let isReady = false;
    const first = world.controller((servers) => {
      const { source, destination } = sabotage(servers);
      const paused = new Proxy(destination, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function") return value;
          return async (...args: unknown[]) => {
            // The pause comes before what the variant does in its place.
            if (name === "pointBranch" && isReady && !isStopped) {
              isStopped = true;
              await opened;
            }
            return value.apply(target, args);
          };
        },
      });
      return { source, destination: paused };
    });
    await first.pass();
    await world.pass(first);
    isReady = true;
    commit("2");
    world.replicate();
    const late = world.pass(first).catch(() => undefined);
    while (!isStopped) await turn();
    commit("3");
    world.replicate();
    const next = world.controller();
    await world.pass(next);
    expect(world.behind()).toEqual([]);
    goOn();
    await late;
    await world.pass(next);
  }

  it("finds no fence when it goes on", async () => {
    await stopped(UNHARMED);
    expect(world.violations).toEqual([]);
    expect(world.behind()).toEqual([]);
  });

  it("moves the branch back where the fence is made after the intent", async () => {
    await stopped(INTENT_FIRST);
    expect(world.violations.filter((one) => one.startsWith("M3"))).not.toEqual([]);
  });
});
