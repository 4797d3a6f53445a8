/**
 * The service as a process of its own mirrors a repository between two real data servers, and is killed again and again in
 * the middle of its work. A reader looks at everything that becomes visible.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../../end-to-end/program.ts";
import { randomOf } from "../../mirroring/world.ts";
import { report } from "../size.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const given = givenDataServer();
const KILLS = 8;
const ADMIN = {
  access_key_id: "AKIAJADMINXXXXXXXXXQ",
  secret_access_key: "admin-secret-of-the-proof".padEnd(40, "x"),
};
const MIRRORS = "/service/replication/v1/repositories/sales/mirrors";

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly json: any;
}

async function ask(url: string, key: string, method: string, body?: unknown): Promise<Answer> {
  const isText = typeof body === "string";
  const type = isText ? "application/octet-stream" : "application/json";
  const answer = await fetch(url, {
    method,
    headers: { authorization: key, ...(body !== undefined && { "content-type": type }) },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
  return { status: answer.status, text, json: isJson ? JSON.parse(text) : undefined };
}

describe.skipIf(given === undefined)("data server: mirrors of a running service", () => {
  let source: RunningDataServer;
  let destination: RunningDataServer;
  let service: RunningProgram;
  let restart: () => Promise<void>;
  beforeAll(async () => {
    source = await RunningDataServer.start(given as GivenDataServer);
    destination = await RunningDataServer.start(given as GivenDataServer);
    const folder = newFolder();
    const access = { access_key_id: KEY, secret_access_key: SECRET };
    const config = writeConfig(folder, {
      database: { type: "local", local: { path: join(folder, "db") } },
      listen_address: "127.0.0.1:0",
      "auth.encrypt.secret_key": "a-secret-key-of-one-proof-of-mirrors",
      authorizer: {
        listen_address: "127.0.0.1:0",
        user_listen_address: "127.0.0.1:0",
        metrics_address: "127.0.0.1:0",
        bootstrap: "external",
        bootstrap_admin: { username: "admin", ...ADMIN },
        mirroring: {
          source: { endpoint: source.url, ...access },
          regions: { west: { endpoint: destination.url, ...access } },
          scan_interval: "1s",
          verify_interval: "1s",
        },
      },
      "auth.api.token": "a-token-of-one-proof-of-mirrors-only",
    });
    restart = async () => {
      service = await start(["--config", config], folder);
    };
    await restart();
  }, 120_000);
  afterAll(async () => {
    cleanUp();
    await source?.close();
    await destination?.close();
  });

  const data = (one: RunningDataServer, method: string, path: string, body?: unknown) =>
    ask(`${one.url}/api/v1${path}`, basic(KEY, SECRET), method, body);
  const api = (method: string, path: string, body?: unknown) =>
    ask(service.user + path, basic(ADMIN.access_key_id, ADMIN.secret_access_key), method, body);
  const heads = new Map<string, string[]>();
  const place = new Map<string, number>();
  const whole = new Set<string>();
  const violations: string[] = [];
  let objects = 0;

  async function commit(branch: string, path: string, text: string): Promise<void> {
    await data(source, "POST", `/repositories/sales/branches/${branch}/objects?path=${path}`, text);
    const made = await data(source, "POST", `/repositories/sales/branches/${branch}/commits`, {
      message: path,
    });
    expect(made.status, made.text).toBe(201);
    heads.set(branch, [...(heads.get(branch) ?? []), made.json.id]);
  }

  function replicate(random: (below: number) => number, most = Number.POSITIVE_INFINITY): void {
    const from = join(source.folder, "data", "sales");
    const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((path) => {
      const to = join(destination.folder, "data", "sales-west", path);
      const { size } = statSync(join(from, path));
      return statSync(join(from, path)).isFile() && !(existsSync(to) && statSync(to).size === size);
    });
    for (let copied = 0; copied < most && files.length > 0; copied += 1) {
      const [path = ""] = files.splice(random(files.length), 1);
      const to = join(destination.folder, "data", "sales-west", path);
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, readFileSync(join(from, path)));
    }
  }

  /** Looks at everything that the mirror shows (M1 to M3, M6). */
  async function read(): Promise<void> {
    const listed = await data(destination, "GET", "/repositories/sales-west/branches?amount=1000");
    for (const { id, commit_id: head } of listed.json?.results ?? []) {
      const seen = heads.get(id) ?? [];
      const at = seen.lastIndexOf(head);
      if (at < (place.get(id) ?? 0)) violations.push(`M3: ${id} is at ${head}, ${at} of ${seen.length}`);
      else place.set(id, at);
      const log = await data(destination, "GET", `/repositories/sales-west/refs/${head}/commits?amount=1000`);
      if (log.status !== 200) violations.push(`M2: the log of ${head}: ${log.status}`);
      for (const { id: one } of log.json?.results ?? []) {
        if (whole.has(one)) continue;
        const before = violations.length;
        await readCommit(one);
        if (violations.length === before) whole.add(one);
      }
    }
  }

  async function readCommit(id: string): Promise<void> {
    const listed = await data(
      destination,
      "GET",
      `/repositories/sales-west/refs/${id}/objects/ls?amount=1000`,
    );
    if (listed.status !== 200) violations.push(`M2: ${id}: ${listed.status}`);
    for (const { path } of listed.json?.results ?? []) {
      objects += 1;
      const ours = await data(destination, "GET", `/repositories/sales-west/refs/${id}/objects?path=${path}`);
      const theirs = await data(source, "GET", `/repositories/sales/refs/${id}/objects?path=${path}`);
      if (ours.status !== 200) violations.push(`M2: ${path} of ${id}: ${ours.status}`);
      else if (ours.text !== theirs.text) violations.push(`M1: ${path} of ${id} has other bytes`);
    }
  }

  async function until(what: () => Promise<boolean>, ms = 60_000): Promise<void> {
    const end = Date.now() + ms;
    while (!(await what())) {
      if (Date.now() > end)
        throw new Error(`it does not come: ${(await api("GET", `${MIRRORS}/sales-west`)).text}`);
      await delay(200);
    }
  }
  const stateIs = (state: string) => async () =>
    (await api("GET", `${MIRRORS}/sales-west`)).json?.state === state;
  const isEqual = async (): Promise<boolean> => {
    const [ours, theirs] = await Promise.all([
      data(destination, "GET", "/repositories/sales-west/branches?amount=1000"),
      data(source, "GET", "/repositories/sales/branches?amount=1000"),
    ]);
    return JSON.stringify(ours.json?.results) === JSON.stringify(theirs.json?.results);
  };

  it("shows what is whole alone, goes on after each kill, arrives, and deletes its repository", async () => {
    const random = randomOf(7);
    const created = await data(source, "POST", "/repositories", {
      name: "sales",
      storage_namespace: "local://sales",
      default_branch: "main",
    });
    expect(created.status, created.text).toBe(201);
    const first = (await data(source, "GET", "/repositories/sales/branches/main")).json.commit_id;
    heads.set("main", [first]);
    await commit("main", "a", "1");
    await data(source, "POST", "/repositories/sales/tags", { id: "v1", ref: "main" });
    const inside = await api("POST", MIRRORS, {
      name: "sales-west",
      region: "west",
      storage_namespace: "nothing",
    });
    expect(inside.status, inside.text).toBe(400);
    const asked = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };
    const made = await api("POST", MIRRORS, asked);
    expect(made.status, made.text).toBe(201);
    expect((await api("POST", MIRRORS, asked)).status).toBe(409);
    await until(async () => (await data(destination, "GET", "/repositories/sales-west")).status === 200);
    expect((await data(destination, "GET", "/repositories/sales-west")).json.read_only).toBe(true);
    // Behind the time for which caches may answer for an earlier repository.
    await until(stateIs("syncing"), 90_000);
    await read();
    expect((await data(destination, "GET", "/repositories/sales-west/branches")).json.results).toEqual([]);
    replicate(random);
    await until(stateIs("active"));
    await read();
    expect(await isEqual()).toBe(true);
    const branched = await data(source, "POST", "/repositories/sales/branches", {
      name: "dev",
      source: "main",
    });
    expect(branched.status, branched.text).toBe(201);
    heads.set("dev", [(heads.get("main") ?? []).at(-1) ?? ""]);
    for (let kill = 0; kill < KILLS; kill += 1) {
      for (let more = 1 + random(3); more > 0; more -= 1)
        await commit(random(2) === 0 ? "main" : "dev", `f${random(20)}`, `${random(1_000_000)}`);
      replicate(random, random(6));
      await Promise.all([delay(random(2_500)), read()]);
      await service.end("SIGKILL");
      await restart();
      await read();
    }
    replicate(random);
    await until(isEqual);
    await until(stateIs("active"));
    await read();
    report(
      `mirrors of a running service: ${KILLS} kills, ${whole.size} visible commits, ${objects} objects read, ${violations.length} violations`,
    );
    expect(violations).toEqual([]);
    expect((await data(destination, "GET", "/repositories/sales-west/tags")).json.results).toEqual([]);
    const hidden = await data(
      destination,
      "GET",
      "/repositories/sales-west/branches?show_hidden=true&prefix=mirror-fence-",
    );
    expect(hidden.json.results).toEqual([]);
    expect((await api("DELETE", `${MIRRORS}/sales-west`)).status).toBe(204);
    await until(async () => (await data(destination, "GET", "/repositories/sales-west")).status === 404);
    expect((await api("POST", MIRRORS, asked)).status).toBe(409);
    expect(await service.end()).toBe(0);
  }, 400_000);
});
