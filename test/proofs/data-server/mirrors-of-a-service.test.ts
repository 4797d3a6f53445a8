/**
 * The service as a process of its own mirrors a repository between two real data servers; it and both of them are killed again
 * and again in the middle of their work. A reader who never stops looks at everything that becomes visible (M1 to M4, M9).
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../../end-to-end/program.ts";
import { randomOf } from "../../mirroring/world.ts";
import { AUTHORIZATION, MIRRORS, mirrorConfig } from "../mirror-service.ts";
import { report, sized } from "../size.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { itemsOf, RealMirror } from "./real-mirror.ts";
import { KEY, SECRET } from "./running-data-server.ts";

const given = givenDataServer();
const KILLS = sized(8, 200);
describe.skipIf(given === undefined)("data server: mirrors of a running service", () => {
  let both: RealMirror;
  let service: RunningProgram;
  let restart: () => Promise<void>;
  beforeAll(async () => {
    both = await RealMirror.open(given as GivenDataServer);
    const folder = newFolder();
    const key = { access_key_id: KEY, secret_access_key: SECRET };
    const config = writeConfig(folder, {
      ...mirrorConfig({ source: both.source.url, destination: both.destination.url, key }),
      database: { type: "local", local: { path: join(folder, "db") } },
    });
    restart = async () => {
      service = await start(["--config", config], folder);
    };
    await restart();
  });
  afterAll(async () => {
    cleanUp();
    await both?.close();
  });

  async function api(method: string, path: string, body?: object) {
    const answer = await fetch(service.user + path, {
      method,
      headers: {
        authorization: AUTHORIZATION,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, state: text === "" ? "" : JSON.parse(text).state };
  }

  async function until(what: () => Promise<boolean>, ms = 120_000): Promise<void> {
    const end = Date.now() + ms;
    while (!(await what())) {
      if (Date.now() > end)
        throw new Error(`it does not come: ${(await api("GET", `${MIRRORS}/sales-west`)).text}`);
      await delay(200);
    }
  }
  const stateIs = (state: string) => async () => (await api("GET", `${MIRRORS}/sales-west`)).state === state;
  const isGone = async (): Promise<boolean> => (await both.ofMirror("GET", "")).status === 404;

  it(
    `shows what is whole alone, goes on after each of ${KILLS} kills, arrives, and deletes its repository`,
    async () => {
      const random = randomOf(7);
      await both.commit("main", "a", "1");
      await both.ofSource("POST", "/tags", { id: "v1", ref: "main" });
      const asked = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };
      const inside = await api("POST", MIRRORS, { ...asked, storage_namespace: "nothing" });
      expect(inside.status, inside.text).toBe(400);
      const made = await api("POST", MIRRORS, asked);
      expect(made.status, made.text).toBe(201);
      expect((await api("POST", MIRRORS, asked)).status).toBe(409);
      await until(async () => !(await isGone()));
      expect(JSON.parse((await both.ofMirror("GET", "")).text).read_only).toBe(true);
      // Behind the time for which caches may answer for an earlier repository.
      await until(stateIs("syncing"));
      await both.read();
      expect(itemsOf(await both.ofMirror("GET", "/branches"))).toEqual([]);
      both.replicate();
      await until(stateIs("active"));
      expect(await both.behind()).toEqual([]);
      both.readOn();
      const victims = [
        async () => {
          await service.end("SIGKILL");
          await restart();
        },
        () => both.source.killAndRestart(),
        () => both.destination.killAndRestart(),
      ];
      for (let kill = 0; kill < KILLS; kill += 1) {
        const work = async (): Promise<void> => {
          for (let more = 1 + random(3); more > 0; more -= 1) await both.write(random);
          both.replicate(random, random(12));
        };
        const victim = victims[random(victims.length)] ?? restart;
        await Promise.all([work(), delay(random(2_500)).then(victim)]);
      }
      both.replicate();
      await until(async () => (await both.behind()).length === 0);
      await until(stateIs("active"));
      await both.stopReading();
      await both.read();
      report(
        `mirrors of a running service: ${KILLS} kills, ${both.shown.size} visible commits, ${both.objects} objects read, ${both.violations.length} violations`,
      );
      expect(both.violations).toEqual([]);
      expect(itemsOf(await both.ofMirror("GET", "/tags"))).toEqual([]);
      const fences = "/branches?show_hidden=true&prefix=mirror-fence-";
      expect(itemsOf(await both.ofMirror("GET", fences))).toEqual([]);
      expect((await api("DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
      await until(isGone);
      expect((await api("POST", MIRRORS, asked)).status).toBe(409);
      expect(await service.end()).toBe(0);
    },
    sized(600_000, 3_600_000),
  );
});
