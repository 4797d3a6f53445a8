import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, type RunningProgram } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";
import { report, sized } from "./size.ts";

const KILLS = sized(4, 200);
const WRITERS = 6;
/**
 * Milliseconds between two writes of a writer. Without a pause, they would leave too little of the machine to the nodes that
 * start, whose directory grows by thousands for each kill.
 */
const PAUSE_MS = 15;
/** Kills after which the progress is printed. */
const SOME = 20;

describe.skipIf(postgresBin() === undefined)("proof: kill -9", () => {
  const cluster = openedOnce(() => startPostgres());
  afterEach(cleanUp);

  it(
    `of any of three nodes under load, ${KILLS} times: nothing acknowledged is lost, nothing is half`,
    async () => {
      const fleet = await Fleet.start(cluster, 3);
      await fleet.makePolicy();
      const acknowledged: string[] = [];
      const failedElsewhere: string[] = [];
      const victims = new Set<RunningProgram>();
      let stop = false;
      let asked = 0;
      const writer = async (index: number): Promise<void> => {
        for (let number = 0; !stop; number++) {
          const node = fleet.nodes[(index + number) % fleet.nodes.length]!;
          const username = `u${index}-${number}`;
          asked += 1;
          const status = await fleet.write(node.service, "POST", "/users", { username });
          if (status === 201) acknowledged.push(username);
          else if (!victims.has(node)) failedElsewhere.push(`${username}: ${status}`);
          await delay(PAUSE_MS);
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, index) => writer(index));
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(50 + Math.random() * 400);
        const victim = fleet.nodes[Math.floor(Math.random() * fleet.nodes.length)]!;
        victims.add(victim);
        await fleet.kill(victim);
        await fleet.startNode();
        if ((kill + 1) % SOME === 0)
          report(`kill -9: ${kill + 1} of ${KILLS} kills, ${acknowledged.length} acknowledged`);
      }
      stop = true;
      await Promise.all(writers);
      expect(acknowledged.length).toBeGreaterThan(KILLS);
      // The others go on: whoever asks one that lives is served.
      expect(failedElsewhere).toEqual([]);
      for (const { service } of fleet.nodes) {
        await fleet.write(service, "POST", "/users", { username: `last-${service.slice(-5)}` });
      }
      for (const { service } of fleet.nodes) {
        for (const other of fleet.nodes)
          await fleet.until(service, `/auth/users/last-${other.service.slice(-5)}`);
        const users = await fleet.users(service);
        expect(acknowledged.filter((name) => !users.has(name))).toEqual([]);
      }
      const { code, text } = await fleet.checkStore();
      expect(text).toMatch(/sound|no contradiction|nothing/i);
      expect(code).toBe(0);
      report(
        `kill -9: ${KILLS} kills, ${asked} writes asked, ${acknowledged.length} acknowledged, none lost`,
      );
    },
    sized(120_000, 3_600_000),
  );
});
