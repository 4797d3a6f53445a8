/**
 * Mirrors between two real data servers under chaos: somebody who writes, a replicator that copies late, in any order and in
 * parts, controllers that begin anew or act at once, and a reader who never stops. With `npm run prove`, where the server is
 * given: prints what was seen.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { MirrorController } from "../../../src/mirroring/controller.ts";
import { noDataCheck, type Sabotage, UNHARMED, walkEndsEarly } from "../../mirroring/sabotage.ts";
import { randomOf } from "../../mirroring/world.ts";
import { isWhole, report } from "../size.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { RealControllers } from "./real-controllers.ts";
import { RealMirror } from "./real-mirror.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = isWhole ? givenDataServer() : undefined;
const MINUTES = 10;
const MINUTE_MS = 60_000;
/** Rounds after which a wrong variant has been seen. */
const WRONG_MS = 40_000;

describe.skipIf(given === undefined)("data server: mirroring", () => {
  let source: RunningDataServer;
  let destination: RunningDataServer;
  beforeAll(async () => {
    source = await RunningDataServer.start(given as GivenDataServer);
    destination = await RunningDataServer.start(given as GivenDataServer);
  });
  afterAll(async () => {
    await source?.close();
    await destination?.close();
  });

  const opened: RealMirror[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.stopReading();
  });

  /** A run; returns what it saw. */
  async function run(
    seed: number,
    ms: number,
    sabotageOf: (repository: string) => Sabotage,
    write = (both: RealMirror, random: (below: number) => number) => both.write(random),
  ) {
    const random = randomOf(seed);
    const names = { repository: `sales-${seed}`, mirror: `west-${seed}` };
    const both = await RealMirror.of(source, destination, names);
    opened.push(both);
    const controllers = new RealControllers(both, sabotageOf(names.repository));
    let acting = controllers.make();
    const errors: string[] = [];
    let promotions = 0;
    let rounds = 0;
    const pass = async (one: MirrorController): Promise<void> => {
      const done = await controllers.pass(one).catch((error: Error) => void errors.push(error.message));
      promotions += done?.work.promotions ?? 0;
    };
    await pass(acting);
    both.readOn();
    const end = performance.now() + ms;
    while (performance.now() < end) {
      rounds += 1;
      for (let more = random(4); more > 0; more -= 1) await write(both, random);
      both.replicate(random, random(12));
      if (random(4) === 0) acting = controllers.make();
      const others = random(6) === 0 ? [controllers.make()] : [];
      await Promise.all([acting, ...others].map(pass));
    }
    both.replicate();
    const failed = errors.length;
    const last = controllers.make();
    for (let more = 0; more < 4; more += 1) await pass(last);
    await both.stopReading();
    await both.read();
    report(
      `mirroring, seed ${seed}: ${Math.round(ms / 1000)} s, ${rounds} rounds, ${promotions} promotions, ${both.shown.size} visible commits, ${both.objects} objects read, ${both.violations.length} violations, ${errors.length} passes that another controller ended`,
    );
    return { violations: both.violations, behind: await both.behind(), lastErrors: errors.slice(failed) };
  }

  it.each([1, 2, 3])(
    "shows nothing that is not whole, never goes back, and arrives: seed %i",
    async (seed) => {
      const { violations, behind, lastErrors } = await run(seed, MINUTES * MINUTE_MS, () => UNHARMED);
      expect(violations).toEqual([]);
      expect(lastErrors).toEqual([]);
      expect(behind).toEqual([]);
    },
    (MINUTES + 10) * MINUTE_MS,
  );

  it("sees where data is not looked for", async () => {
    const { violations } = await run(4, WRONG_MS, noDataCheck);
    expect(violations.filter((one) => one.startsWith("M2"))).not.toEqual([]);
  }, 600_000);

  it("sees where a walk ends at the first commit that is recorded", async () => {
    const { violations, behind } = await run(5, WRONG_MS, walkEndsEarly, mergeOldBranch);
    // A commit that is not recorded shows in a history, or keeps what leads to it from ever being shown.
    expect([...violations, ...behind]).not.toEqual([]);
  }, 600_000);
});

/** Merges a branch whose commits are older than those of main, which no list of branches ever showed. */
async function mergeOldBranch(both: RealMirror, random: (below: number) => number): Promise<void> {
  const date = 1_700_000_000 + random(1_000);
  await both.commit("main", "main", `content ${random(1e6)}`, date);
  if (random(2) === 0) return;
  await both.ofSource("POST", "/branches", { name: "old", source: "main" });
  for (const path of ["one", "two"]) await both.commit("old", path, `content ${random(1e6)}`, date - 10_000);
  await both.ofSource("POST", "/refs/old/merge/main", {});
  await both.ofSource("DELETE", "/branches/old");
  await both.noteHeads();
}
