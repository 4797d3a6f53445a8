import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, type RunningProgram, run, writeConfig } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { cpuSecondsOf } from "./cpu-seconds.ts";
import { Fleet } from "./fleet.ts";
import { quantile, report, sized } from "./size.ts";

const USERS = sized(2_000, 100_000);
const WRITERS = 10;
/** CPU time of a node that starts, or that takes over the data set, in seconds. */
const MOST_WORK = 4 + USERS * 40e-6;

describe.skipIf(postgresBin() === undefined)("proof: a large directory", () => {
  const cluster = openedOnce(() => startPostgres());
  afterEach(cleanUp);

  it(
    `a data set of ${USERS} users is applied while ten others write each second, and a node that joins is ready soon`,
    async () => {
      const fleet = await Fleet.start(cluster, 2);
      await fleet.makePolicy();
      const [one, other] = fleet.nodes as [RunningProgram, RunningProgram];
      const services = [one.service, other.service];
      const file = writeConfig(fleet.folder, dataset(), "large.json");
      const acknowledged: string[] = [];
      const refused: string[] = [];
      const times: number[] = [];
      const work: number[] = [];
      let stop = false;
      const writer = async (index: number): Promise<void> => {
        for (let number = 0; !stop; number++) {
          const username = `beside-${index}-${number}`;
          const node = index % 2 === 0 ? one : other;
          const [began, worked] = [performance.now(), cpuSecondsOf(node.child)];
          const status = await fleet.write(node.service, "POST", "/users", { username });
          times.push(performance.now() - began);
          work.push(cpuSecondsOf(node.child) - worked);
          if (status === 201) acknowledged.push(username);
          else refused.push(`${username}: ${status}`);
          await delay(Math.max(0, 1_000 - (performance.now() - began)));
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, index) => writer(index));
      const began = performance.now();
      const loaded = await run(["load", "--config", fleet.config, file], fleet.folder);
      const seconds = (performance.now() - began) / 1_000;
      stop = true;
      await Promise.all(writers);
      expect(loaded.stdout.trimEnd().split("\n").at(-1), loaded.stderr).toContain(
        `${2 * USERS} added, 0 changed, 0 removed; applied`,
      );
      expect(loaded.code).toBe(0);
      expect(refused).toEqual([]);
      for (const service of services) {
        await fleet.until(service, `/auth/users/m${USERS - 1}`);
        await fleet.until(service, `/auth/users/${acknowledged.at(-1)}`);
        const users = await fleet.users(service);
        expect(users.size).toBeGreaterThanOrEqual(USERS + acknowledged.length);
        expect(acknowledged.filter((name) => !users.has(name))).toEqual([]);
      }
      // A write waits while its node takes the data set over: for that work, and for nothing else of that size.
      expect(quantile(work, 1)).toBeLessThan(MOST_WORK);
      const joining = performance.now();
      const joined = await fleet.startNode();
      const [ready, joinWork] = [(performance.now() - joining) / 1_000, cpuSecondsOf(joined.child)];
      expect(await fleet.mayRead(joined.service, `m${USERS - 1}`)).toBe(true);
      report(
        `a large directory: data set of ${USERS} users in ${seconds.toFixed(1)} s; ${acknowledged.length} writes beside it, the slowest in ${(quantile(times, 1) / 1_000).toFixed(2)} s, for ${quantile(work, 1).toFixed(1)} s of its node's CPU time; a node joins in ${ready.toFixed(1)} s, with ${joinWork.toFixed(1)} s of CPU time`,
      );
      // CPU time: the time itself is that of the machine's load as well.
      expect(joinWork).toBeLessThan(MOST_WORK);
    },
    sized(120_000, 1_800_000),
  );
});

function dataset(): object {
  return {
    format: 1,
    users: Array.from({ length: USERS }, (_, index) => ({ username: `m${index}`, policies: ["Read"] })),
  };
}
