/** Proof: whoever searches records hears first which nodes were not asked (spec/decision-log §3.1). */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";

const SVCCTL = join(import.meta.dirname, "..", "..", "packages", "svcctl", "bin", "svcctl.cjs");
const LOOKS = { interval: 100 };

const ALL = { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] };

interface Run {
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(postgresBin() === undefined)("proof: records of several nodes", () => {
  const cluster = openedOnce(() => startPostgres());
  afterEach(cleanUp);

  it("name the nodes that were not asked first: lists, single records and streams, in the API and svcctl", async () => {
    const fleet = await Fleet.start(cluster, 0, { "authorizer.decision_log.include": "all" });
    const started = async (name: string): Promise<RunningProgram> =>
      fleet.startNode(
        Object.entries({
          node_name: name,
          "decision_log.directory": join(newFolder(), "decisions"),
          "audit.directory": join(newFolder(), "audit"),
        }).flatMap(([item, value]) => [`--authorizer.${item}`, value]),
      );
    const one = await started("node-1");
    for (const [method, path, body] of [
      ["POST", "/users", { username: "root" }],
      ["POST", "/policies", ALL],
      ["PUT", "/users/root/policies/All", undefined],
    ] as const)
      expect(await fleet.write(one.service, method, path, body), path).toBe(201);
    const made = await fleet.call(one.service, "POST", "/api/v1/auth/users/root/credentials");
    const key = (await made.json()) as { access_key_id: string; secret_access_key: string };
    const headers = { Authorization: `Basic ${btoa(`${key.access_key_id}:${key.secret_access_key}`)}` };
    const get = async (path: string) => {
      const answer = await fetch(`${one.user}/api/v1${path}`, { headers });
      return { status: answer.status, text: await answer.text() };
    };
    const svcctl = (...args: string[]) =>
      new Promise<Run>((resolve) => {
        const child = spawn(process.execPath, [SVCCTL, ...args], {
          env: {
            ...process.env,
            HOME: fleet.folder,
            SVCCTL_SERVER_ENDPOINT_URL: one.user,
            SVCCTL_CREDENTIALS_ACCESS_KEY_ID: key.access_key_id,
            SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: key.secret_access_key,
          },
        });
        const found = { stdout: "", stderr: "" };
        child.stdout.on("data", (part) => {
          found.stdout += part;
        });
        child.stderr.on("data", (part) => {
          found.stderr += part;
        });
        child.on("close", () => resolve(found));
      });

    const missing = async (path: string) => JSON.parse((await get(path)).text).missing_nodes;
    for (const path of ["/decisions", "/audit"]) expect(await missing(path)).toEqual([]);
    expect((await svcctl("decisions", "list")).stderr).toBe("");

    const other = await started("node-2");
    expect(await fleet.mayRead(other.service, "root")).toBe(true);
    for (const path of ["/decisions", "/audit"]) {
      await expect.poll(() => missing(path), LOOKS).toEqual(["node-2"]);
      expect((await get(path)).text).toMatch(/^\{"node":"node-1","missing_nodes":\["node-2"\],/);
      const single = await get(`${path}/d-3f9c2a7b81d0-1a`);
      expect([single.status, single.text]).toEqual([
        404,
        expect.stringContaining("node node-1 has no record of that id; 1 other nodes were not asked: node-2"),
      ]);
    }
    const said = "only node node-1 was asked; another node was not: node-2\n";
    for (const command of ["decisions", "audit"]) {
      expect((await svcctl(command, "list")).stderr).toBe(said);
      expect(JSON.parse((await svcctl(command, "list", "--json")).stdout).missing_nodes).toEqual(["node-2"]);
    }
    await fleet.mayRead(one.service, "root");
    const [newest] = JSON.parse((await get("/decisions?amount=1")).text).results;
    const revision = String(newest.revision);
    const same = ["--from", revision, "--to", revision, "--json"];
    const replay = await svcctl("policy", "replay", "--server", ...same);
    expect(JSON.parse(replay.stdout)).toMatchObject({ wider: 0, narrower: 0 });
    expect(replay.stderr).toBe(said);
    const following = svcctl("decisions", "tail", "--count", "1", "--json");
    const asking = setInterval(() => void fleet.mayRead(one.service, "root").catch(() => undefined), 200);
    const tail = await following.finally(() => clearInterval(asking));
    expect(tail.stderr).toBe(said);
    expect(JSON.parse(tail.stdout).node).toBe("node-1");

    await other.end("SIGTERM");
    await expect.poll(() => missing("/decisions"), LOOKS).toEqual([]);
  });
});
