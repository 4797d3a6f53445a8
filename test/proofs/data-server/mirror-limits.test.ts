/** The bounds of a mirror between two real data servers: what it never has, never runs, and never shows too early. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { RealControllers } from "./real-controllers.ts";
import { itemsOf, RealMirror } from "./real-mirror.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = givenDataServer();
const EVENTS = ["commit", "merge", "create-branch", "delete-branch", "create-tag"].flatMap((event) => [
  `pre-${event}`,
  `post-${event}`,
]);

describe.skipIf(given === undefined)("data server: the bounds of a mirror", () => {
  let source: RunningDataServer;
  let destination: RunningDataServer;
  let listener: Server;
  /** Repositories whose hooks ran. */
  const ran: string[] = [];
  const folder = (): string => join(source.folder, "outside");
  beforeAll(async () => {
    const imports = { LAKEFS_BLOCKSTORE_LOCAL_IMPORT_ENABLED: "true" };
    source = await RunningDataServer.start(given as GivenDataServer, undefined, true, {
      ...imports,
      LAKEFS_BLOCKSTORE_LOCAL_ALLOWED_EXTERNAL_PREFIXES: "/tmp",
    });
    destination = await RunningDataServer.start(given as GivenDataServer);
    listener = createServer(async (request, response) => {
      ran.push(JSON.parse((await buffer(request)).toString()).repository_id);
      response.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    listener?.close();
    await source?.close();
    await destination?.close();
  });
  let number = 0;
  let both: RealMirror;
  afterEach(() => both.stopReading());

  async function open(): Promise<RealControllers> {
    number += 1;
    both = await RealMirror.of(source, destination, {
      repository: `bounds-${number}`,
      mirror: `bounds-${number}-west`,
    });
    return new RealControllers(both);
  }
  const headOf = async (branch: string): Promise<string> =>
    JSON.parse((await both.ofSource("GET", `/branches/${branch}`)).text).commit_id;

  it("has no tag, and no commit that no branch of the source led to (M6, M7)", async () => {
    const controllers = await open();
    await both.commit("main", "a", "1");
    await both.commit("main", "a", "2");
    const dropped = await headOf("main");
    expect((await both.ofSource("POST", "/tags", { id: "v1", ref: "main" })).status).toBe(201);
    await both.ofSource("PUT", "/branches/main/hard_reset?ref=main~1");
    await both.ofSource("POST", "/branches", { name: "unseen", source: "main", hidden: true });
    await both.commit("unseen", "b", "1");
    await both.ofSource("POST", "/branches", { name: "gone", source: "main" });
    await both.commit("gone", "c", "1");
    const hidden = await headOf("unseen");
    const gone = await headOf("gone");
    expect((await both.ofSource("DELETE", "/branches/gone")).status).toBe(204);
    both.replicate();
    const controller = controllers.make();
    for (let at = 0; at < 3; at += 1) await controllers.pass(controller);
    expect(await both.behind()).toEqual([]);
    expect((await both.ofMirror("GET", `/commits/${await headOf("main")}`)).status).toBe(200);
    for (const commit of [dropped, hidden, gone]) {
      expect((await both.ofSource("GET", `/commits/${commit}`)).status).toBe(200);
      expect((await both.ofMirror("GET", `/commits/${commit}`)).status).toBe(404);
    }
    expect((await both.ofMirror("GET", "/tags")).text).toContain('"results":[]');
  });

  it("runs no hook, and refuses rules and preparation of garbage collection (M8)", async () => {
    const controllers = await open();
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const events = EVENTS.map((event) => `  ${event}:\n`).join("");
    const hooks = `hooks:\n  - id: tell\n    type: webhook\n    properties:\n      url: ${url}\n`;
    await both.commit("main", "_lakefs_actions/tell.yaml", `name: tell\non:\n${events}${hooks}`);
    await both.commit("main", "a", "1");
    await both.ofSource("POST", "/branches", { name: "dev", source: "main" });
    await both.commit("dev", "b", "1");
    both.replicate();
    const controller = controllers.make();
    for (let at = 0; at < 3; at += 1) await controllers.pass(controller);
    expect(await both.behind()).toEqual([]);
    await both.commit("main", "a", "2");
    await both.ofSource("POST", "/refs/dev/merge/main", {});
    await both.noteHeads();
    await both.ofSource("DELETE", "/branches/dev");
    both.replicate();
    for (let at = 0; at < 3; at += 1) await controllers.pass(controller);
    expect(await both.behind()).toEqual([]);
    expect(ran.length).toBeGreaterThan(5);
    expect(new Set(ran)).toEqual(new Set([both.repository]));
    const runs = JSON.parse((await both.ofMirror("GET", "/actions/runs")).text);
    expect(runs.results).toEqual([]);
    const rules = { default_retention_days: 1, branches: [] };
    expect((await both.ofMirror("PUT", "/settings/gc_rules", rules)).status).toBe(403);
    expect((await both.ofMirror("POST", "/gc/prepare_commits")).status).toBe(403);
    expect((await both.ofMirror("POST", "/gc/prepare_uncommited", {})).status).toBe(403);
  });

  it("counts linked objects, and holds their commits back where that is configured (M12)", async () => {
    const controllers = await open();
    await both.commit("main", "a", "1");
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), "linked"), "linked");
    const paths = [{ type: "object", path: `local://${join(folder(), "linked")}`, destination: "linked" }];
    const asked = await both.ofSource("POST", "/branches/main/import", {
      paths,
      commit: { message: "import" },
    });
    expect(asked.status, asked.text).toBe(202);
    const { id } = JSON.parse(asked.text);
    await expect
      .poll(async () => (await both.ofSource("GET", `/branches/main/import?id=${id}`)).text)
      .toContain('"completed":true');
    await both.noteHeads();
    both.replicate();
    const blocking = controllers.make(true);
    await controllers.pass(blocking);
    for (let at = 0; at < 2; at += 1) {
      expect(await controllers.pass(blocking)).toMatchObject({ phase: "degraded", externalObjects: 1 });
    }
    expect(await both.behind()).not.toEqual([]);
    const reporting = controllers.make();
    await controllers.pass(reporting);
    expect(await controllers.pass(reporting)).toMatchObject({ phase: "active", externalObjects: 1 });
    expect(await both.behind()).toEqual([]);
  });

  it("shows nothing of a commit of which one file is missing, whichever (M13)", async () => {
    const controllers = await open();
    await both.commit("main", "a", "1");
    both.replicate();
    const controller = controllers.make();
    for (let at = 0; at < 2; at += 1) await controllers.pass(controller);
    expect(await both.behind()).toEqual([]);
    for (const path of ["b", "c/d", "c/e", "f"])
      await both.ofSource("POST", `/branches/main/objects?path=${path}`, `content of ${path}`);
    await both.commit("main", "g", "last");
    const before = itemsOf(await both.ofMirror("GET", "/branches"));
    const files = both.missingFiles();
    expect(files.length).toBeGreaterThan(6);
    for (const file of files) {
      both.replicate();
      rmSync(join(both.folders.to, file));
      expect(await controllers.pass(controller), file).toMatchObject({ commitsPending: 1 });
      expect(itemsOf(await both.ofMirror("GET", "/branches"))).toEqual(before);
      // A server keeps tables that it has read: what is missing is missing for the next one, too.
      await destination.killAndRestart();
    }
    both.replicate();
    expect(await controllers.pass(controller)).toMatchObject({ phase: "active" });
    expect(await both.behind()).toEqual([]);
    await both.read();
    expect(both.violations).toEqual([]);
  });
});
