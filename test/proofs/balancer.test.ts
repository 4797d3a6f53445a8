import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, type RunningProgram } from "../end-to-end/program.ts";
import { freePort } from "../journal/free-port.ts";
import { hasProgram } from "../journal/has-program.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { Fleet } from "./fleet.ts";
import { report, sized } from "./size.ts";

const KILLS = sized(2, 20);
const WRITERS = 8;

describe.skipIf(postgresBin() === undefined || !hasProgram("nginx"))(
  "proof: two processes behind nginx",
  () => {
    let cluster: PostgresCluster;
    let balancer: ChildProcess | undefined;
    beforeAll(async () => {
      cluster = await startPostgres();
    }, 60_000);
    afterAll(() => cluster.close());
    afterEach(async () => {
      if (balancer !== undefined) {
        balancer.kill("SIGKILL");
        await once(balancer, "exit");
      }
      cleanUp();
    });

    /** nginx with one worker, whose upstreams are the nodes; the file of deploy/compose has the same upstream lines. */
    const startBalancer = async (folder: string, nodes: readonly RunningProgram[]): Promise<string> => {
      const port = await freePort();
      mkdirSync(join(folder, "nginx"));
      const upstreams = nodes.map(
        ({ service }) => `server ${new URL(service).host} max_fails=1 fail_timeout=1s;`,
      );
      writeFileSync(
        join(folder, "nginx", "nginx.conf"),
        `daemon off; master_process off; pid ${folder}/nginx/pid; error_log ${folder}/nginx/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/nginx/body; proxy_temp_path ${folder}/nginx/proxy;
  fastcgi_temp_path ${folder}/nginx/f; uwsgi_temp_path ${folder}/nginx/u; scgi_temp_path ${folder}/nginx/s;
  upstream authorizer { ${upstreams.join(" ")} keepalive 16; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://authorizer;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 1s;
      proxy_next_upstream error timeout;
    }
  }
}
`,
      );
      balancer = spawn("nginx", ["-p", join(folder, "nginx"), "-c", join(folder, "nginx", "nginx.conf")], {
        stdio: "ignore",
      });
      await delay(300);
      return `http://127.0.0.1:${port}`;
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
          // By now nginx tries the one that was away before: with both marked as failed it would answer by itself.
          await delay(2_000);
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
