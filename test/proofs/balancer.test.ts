import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, type RunningProgram } from "../end-to-end/program.ts";
import { freePort } from "../free-port.ts";
import { hasProgram } from "../journal/has-program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";
import { report, sized } from "./size.ts";

const KILLS = sized(2, 20);
const WRITERS = 8;

describe.skipIf(postgresBin() === undefined || !hasProgram("nginx"))(
  "proof: two processes behind nginx",
  () => {
    const cluster = openedOnce(() => startPostgres());
    let balancer: ChildProcess | undefined;
    afterEach(async () => {
      if (balancer !== undefined) {
        balancer.kill("SIGKILL");
        await once(balancer, "exit");
      }
      cleanUp();
    });

    /** nginx with the file of docker-compose.yml, but for the addresses. */
    const startBalancer = async (folder: string, nodes: readonly RunningProgram[]): Promise<string> => {
      const [port, userPort] = [await freePort(), await freePort()];
      const own = join(folder, "nginx");
      mkdirSync(own);
      const addresses = nodes.flatMap(({ service, user }, index) => [
        [`node${index + 1}:8001`, new URL(service).host],
        [`node${index + 1}:8000`, new URL(user).host],
      ]);
      let text = readFileSync(join(import.meta.dirname, "../../deploy/compose/nginx.conf"), "utf8");
      for (const [name, address] of addresses) text = text.replaceAll(name!, address!);
      text = text.replace("listen 8001;", `listen 127.0.0.1:${port};`);
      text = text.replace("listen 8000;", `listen 127.0.0.1:${userPort};`);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const paths = temporary.map((name) => `${name}_temp_path ${own}/${name};`).join(" ");
      const process = `daemon off; master_process off; pid ${own}/pid; error_log ${own}/error.log;`;
      writeFileSync(join(own, "nginx.conf"), `${process}\n${text.replace("http {", `http { ${paths}`)}`);
      balancer = spawn("nginx", ["-p", join(folder, "nginx"), "-c", join(folder, "nginx", "nginx.conf")], {
        stdio: "ignore",
      });
      await delay(300);
      return `http://127.0.0.1:${port}`;
    };

    /** Waits until a node has made users whom the balancer sent to it. */
    const hasTakenWrites = async (metrics: string): Promise<void> => {
      for (let tries = 0; ; tries++) {
        const text = await (await fetch(`${metrics}/metrics`)).text();
        if (/http_requests_total\{route="[^"]*\/users",method="POST",status="2xx"\}/.test(text)) return;
        if (tries > 600) throw new Error("the balancer sends nothing to a node that is back");
        await delay(100);
      }
    };

    it(
      `${KILLS} kills of either under load: only requests that were on the wire fail, nothing acknowledged is lost`,
      async () => {
        // Ports of their own: nginx knows the nodes by them, also after a restart.
        const ports = [await freePort(), await freePort()];
        const fleet = await Fleet.start(cluster, 0);
        const startOn = (port: number) =>
          fleet.startNode(["--set", `authorizer.listen_address=127.0.0.1:${port}`]);
        await startOn(ports[0]!);
        await startOn(ports[1]!);
        await fleet.makePolicy();
        const balanced = await startBalancer(fleet.folder, fleet.nodes);
        const acknowledged: string[] = [];
        const failures: number[] = [];
        let stop = false;
        let asked = 0;
        const writer = async (index: number): Promise<void> => {
          for (let number = 0; !stop; number++) {
            const username = `u${index}-${number}`;
            asked += 1;
            const status = await fleet.write(balanced, "POST", "/users", { username });
            if (status === 201) acknowledged.push(username);
            else failures.push(status);
          }
        };
        const writers = Array.from({ length: WRITERS }, (_, index) => writer(index));
        for (let kill = 0; kill < KILLS; kill++) {
          // nginx must use both: with the one that was away before still marked as failed, it would answer by itself.
          for (const { metrics } of fleet.nodes) await hasTakenWrites(metrics);
          const victim = fleet.nodes[0]!;
          const port = Number(new URL(victim.service).port);
          await fleet.kill(victim);
          await delay(500);
          await startOn(port);
        }
        await delay(500);
        stop = true;
        await Promise.all(writers);
        // Each writer has one request on its way, which a kill can take with it.
        expect(failures.length).toBeLessThanOrEqual(KILLS * WRITERS);
        expect(failures.filter((status) => status !== 502)).toEqual([]);
        expect(acknowledged.length).toBeGreaterThan(KILLS * WRITERS);
        for (const { service } of fleet.nodes) {
          await fleet.until(service, `/auth/users/${acknowledged.at(-1)}`);
          const users = await fleet.users(service);
          expect(acknowledged.filter((name) => !users.has(name))).toEqual([]);
        }
        const { code } = await fleet.checkStore();
        expect(code).toBe(0);
        report(
          `behind nginx: ${KILLS} kills, ${asked} writes asked, ${acknowledged.length} acknowledged and kept, ${failures.length} failed (at most ${KILLS * WRITERS} were on the wire)`,
        );
      },
      sized(120_000, 900_000),
    );
  },
);
