import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";
import { isWhole, report, sized } from "./size.ts";

const SECONDS = sized(3, 60);

describe.skipIf(postgresBin() === undefined)("proof: without the database", () => {
  const cluster = openedOnce(() => startPostgres());
  afterEach(cleanUp);

  it(
    `for ${SECONDS} s decisions go on without an error, writes are 503, and afterwards all is in force at once`,
    async () => {
      const fleet = await Fleet.start(cluster, 2);
      await fleet.makePolicy();
      const [one, other] = fleet.nodes.map(({ service }) => service) as [string, string];
      // Alice may read all the time; what carol may is changed afterwards.
      for (const username of ["alice", "carol"]) {
        expect(await fleet.write(one, "POST", "/users", { username })).toBe(201);
        expect(await fleet.write(one, "PUT", `/users/${username}/policies/Read`)).toBe(201);
        await expect.poll(() => fleet.mayRead(other, username)).toBe(true);
      }
      const wrong: unknown[] = [];
      let decisions = 0;
      let isAway = true;
      const decide = async (service: string): Promise<void> => {
        while (isAway) {
          const answer = await fleet.mayRead(service, "alice").catch(String);
          decisions += 1;
          if (answer !== true) wrong.push(answer);
          await delay(5);
        }
      };
      const deciding = [decide(one), decide(other)];
      await cluster.stop();
      const end = performance.now() + SECONDS * 1_000;
      const statuses = new Map<number, number>();
      // The first may still be on its way when the database goes.
      await fleet.write(one, "POST", "/users", { username: "first" });
      while (performance.now() < end) {
        for (const service of [one, other]) {
          const answer = await fleet.call(service, "POST", "/api/v1/auth/users", { username: "bob" });
          await answer.arrayBuffer();
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
        }
        await delay(50);
      }
      expect([...statuses.keys()]).toEqual([503]);
      await cluster.start();
      const back = performance.now();
      await expect
        .poll(() => fleet.write(other, "DELETE", "/users/carol/policies/Read"), { interval: 20 })
        .toBe(204);
      const written = performance.now();
      isAway = false;
      await Promise.all(deciding);
      await expect.poll(() => fleet.mayRead(one, "carol"), { interval: 5 }).toBe(false);
      const inForce = performance.now() - written;
      expect(wrong).toEqual([]);
      report(
        `without the database: ${SECONDS} s, ${decisions} decisions without an error, ${statuses.get(503)} writes 503; written ${(written - back).toFixed(0)} ms after it was back, in force on the other node ${inForce.toFixed(0)} ms later`,
      );
      if (isWhole) expect(inForce).toBeLessThan(1_000);
    },
    sized(120_000, 300_000),
  );
});
