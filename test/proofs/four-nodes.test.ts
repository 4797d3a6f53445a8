import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";
import { isWhole, quantile, report, sized } from "./size.ts";

const NODES = 4;
const PER_SECOND = sized(40, 200);
const SECONDS = sized(4, 180);

describe.skipIf(postgresBin() === undefined)("proof: four nodes", () => {
  const cluster = openedOnce(() => startPostgres());
  afterEach(cleanUp);

  it(
    `take ${PER_SECOND} writes a second for ${SECONDS} s: none is lost, and all nodes end up with the same`,
    async () => {
      const fleet = await Fleet.start(cluster, NODES);
      await fleet.makePolicy();
      const services = fleet.nodes.map(({ service }) => service);
      const [acknowledged, refused]: string[][] = [[], []];
      const lags: number[] = [];
      const pending: Promise<void>[] = [];
      const writeOne = async (number: number): Promise<void> => {
        const username = `u${number}`;
        const at = number % NODES;
        const status = await fleet.write(services[at]!, "POST", "/users", { username });
        if (status !== 201) {
          refused!.push(`${username}: ${status}`);
          return;
        }
        acknowledged!.push(username);
        // One in twenty is looked for on the next node: asking for each would be most of the load.
        if (number % 20 === 0) {
          lags.push(await fleet.until(services[(at + 1) % NODES]!, `/auth/users/${username}`));
        }
      };
      const started = performance.now();
      for (let number = 0; number < PER_SECOND * SECONDS; number++) {
        const due = started + (number * 1_000) / PER_SECOND;
        if (performance.now() < due) await delay(Math.max(0, due - performance.now()));
        pending.push(writeOne(number));
      }
      await Promise.all(pending);
      const seconds = (performance.now() - started) / 1_000;
      expect(refused).toEqual([]);
      for (const path of ["/users", "/groups", "/policies"]) {
        const lists = await Promise.all(
          services.map(async (service) => {
            await fleet.until(service, `/auth/users/${acknowledged!.at(-1)}`);
            return fleet.listAll(service, path);
          }),
        );
        for (const list of lists) expect(list).toEqual(lists[0]);
        if (path === "/users") {
          const names = await fleet.users(services[0]!);
          expect(acknowledged!.filter((name) => !names.has(name))).toEqual([]);
        }
      }
      const { code } = await fleet.checkStore();
      expect(code).toBe(0);
      const p99 = quantile(lags, 0.99);
      report(
        `four nodes: ${(acknowledged!.length / seconds).toFixed(0)} writes/s for ${seconds.toFixed(0)} s, in force on another node after ${quantile(lags, 0.5).toFixed(0)} ms (p50), ${p99.toFixed(0)} ms (p99)`,
      );
      if (isWhole) expect(p99).toBeLessThan(1_000);
    },
    sized(120_000, 900_000),
  );
});
