/**
 * Two real data servers that ask the service about their users, and a mirror between them without any configured key: its own
 * user fills it, and nobody else can write to it, with `force` neither, as an administrator neither, through no entrance (M5).
 */
import { createHmac } from "node:crypto";
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { freePort } from "../../free-port.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { RunningDataServer } from "./running-data-server.ts";

const given = givenDataServer();
const TOKEN = "a-token-of-one-proof-of-mirrors-with-users";
const SECRET_KEY = "a-secret-key-of-one-proof-of-mirrors-with-users";
const MIRRORS = "/service/replication/v1/repositories/sales/mirrors";
const keyOf = (letter: string) => ({
  access_key_id: `AKIAJ${letter.repeat(14)}Q`,
  secret_access_key: letter.toLowerCase().repeat(40),
});
const ADMIN = keyOf("A");
const DEVELOPER = keyOf("D");
type Key = typeof ADMIN;
/** A state of all branches, commits and tags. */
const REFS = { branches_meta_range_id: "a", commits_meta_range_id: "a", tags_meta_range_id: "a" };

interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly json: any;
}

async function ask(url: string, key: Key, method: string, body?: unknown): Promise<Answer> {
  const isText = typeof body === "string";
  const type = isText ? "application/octet-stream" : "application/json";
  const authorization = `Basic ${Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString("base64")}`;
  const answer = await fetch(url, {
    method,
    headers: { authorization, ...(body !== undefined && { "content-type": type }) },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, json: jsonOf(text) };
}

/** The server answers some errors twice, one behind the other. */
function jsonOf(text: string): Answer["json"] {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Puts an object through the S3 gateway, with a signature of version 2: the shortest that it takes. */
async function putByGateway(server: RunningDataServer, key: Key, path: string): Promise<number> {
  const date = new Date().toUTCString();
  const signed = `PUT\n\ntext/plain\n${date}\n/${path}`;
  const signature = createHmac("sha1", key.secret_access_key).update(signed).digest("base64");
  const answer = await fetch(`${server.url}/${path}`, {
    method: "PUT",
    headers: { date, "content-type": "text/plain", authorization: `AWS ${key.access_key_id}:${signature}` },
    body: "x",
  });
  await answer.text();
  return answer.status;
}

describe.skipIf(given === undefined)("data server: mirrors with users of their own", () => {
  let service: TestAuthorizer;
  let source: RunningDataServer;
  let west: RunningDataServer;
  beforeAll(async () => {
    const [sourcePort, westPort] = [await freePort(), await freePort()];
    service = await closedAfterAll(
      startAuthorizer({
        dataset: {
          format: 1,
          preconfigured: true,
          users: [
            { username: "admin", groups: ["Admins"], credentials: [ADMIN] },
            { username: "developer", groups: ["Developers"], credentials: [DEVELOPER] },
          ],
        } as unknown as DatasetDocument,
        config: {
          "auth.api.token": TOKEN,
          // As its own ARNs are.
          "authorizer.partition": "lakefs",
          "auth.encrypt.secret_key": SECRET_KEY,
          "authorizer.mirroring.source.endpoint": `http://localhost:${sourcePort}`,
          "authorizer.mirroring.regions": { west: { endpoint: `http://localhost:${westPort}` } },
          "authorizer.mirroring.scan_interval": "1s",
          "authorizer.mirroring.verify_interval": "1s",
        } as never,
      }),
    );
    const asking = {
      LAKEFS_AUTH_ENCRYPT_SECRET_KEY: SECRET_KEY,
      LAKEFS_AUTH_API_ENDPOINT: `${service.url}/api/v1`,
      LAKEFS_AUTH_API_TOKEN: TOKEN,
      LAKEFS_AUTH_UI_CONFIG_RBAC: "external",
      LAKEFS_AUTH_CACHE_ENABLED: "false",
    };
    const begin = (port: number) =>
      closedAfterAll(
        RunningDataServer.start(given as GivenDataServer, { kind: "local" }, false, asking, port),
      );
    [source, west] = [await begin(sourcePort), await begin(westPort)];
  });

  const data = (one: RunningDataServer, method: string, path: string, body?: unknown, key = ADMIN) =>
    ask(`${one.url}/api/v1${path}`, key, method, body);
  const mirror = async () => (await ask(`${service.userUrl}${MIRRORS}/sales-west`, ADMIN, "GET")).json;
  const stateIs = (state: string) =>
    expect.poll(async () => (await mirror())?.state, { timeout: 90_000, interval: 300 }).toBe(state);
  const replicate = () =>
    cpSync(join(source.folder, "data", "sales"), join(west.folder, "data", "sales-west"), {
      recursive: true,
    });
  async function commit(path: string): Promise<string> {
    await data(source, "POST", `/repositories/sales/branches/main/objects?path=${path}`, path);
    const made = await data(source, "POST", "/repositories/sales/branches/main/commits", { message: path });
    expect(made.status, made.text).toBe(201);
    return made.json.id;
  }
  const shown = async () =>
    (await data(west, "GET", "/repositories/sales-west/branches/main")).json?.commit_id;

  it("is filled without any configured key, by a user that is made for it", async () => {
    const repository = { name: "sales", storage_namespace: "local://sales", default_branch: "main" };
    const created = await data(source, "POST", "/repositories", repository);
    expect(created.status, created.text).toBe(201);
    const head = await commit("a");
    const body = { name: "sales-west", region: "west", storage_namespace: "local://sales-west" };
    const made = await ask(`${service.userUrl}${MIRRORS}`, ADMIN, "POST", body);
    expect(made.status, made.text).toBe(201);
    expect(made.json.write_protection).toBe("enforced");
    await stateIs("syncing");
    replicate();
    await stateIs("active");
    expect(await shown()).toBe(head);
  });

  it.each([
    ["an administrator", ADMIN],
    ["a developer", DEVELOPER],
  ])("cannot be written to by %s, with force neither, and can be read (M5)", async (_, key) => {
    const at = "/repositories/sales-west";
    const main = `${at}/branches/main`;
    const head = await shown();
    const WRITES = [
      ["POST", `${main}/objects?path=x&force=true`, "x"],
      ["DELETE", `${main}/objects?path=a&force=true`],
      ["POST", `${main}/objects/delete?force=true`, { paths: ["a"] }],
      ["POST", `${main}/objects/copy?dest_path=b`, { src_path: "a", force: true }],
      ["POST", `${main}/commits`, { message: "x", force: true, allow_empty: true }],
      ["PUT", main, { type: "reset", force: true }],
      ["PUT", `${main}/hard_reset?ref=${head}&force=true`],
      ["POST", `${main}/revert`, { ref: head, parent_number: 1, force: true }],
      ["POST", `${main}/cherry-pick`, { ref: head, force: true }],
      ["POST", `${at}/branches`, { name: "mine", source: "main", force: true }],
      ["DELETE", `${main}?force=true`],
      ["POST", `${at}/tags`, { id: "v1", ref: "main", force: true }],
      ["POST", `${at}/metadata`, { metadata: { "mirror-uid": "mine" } }],
      ["DELETE", `${at}/metadata`, { keys: ["mirror-uid"] }],
      ["POST", `${at}/pulls`, { title: "x", source_branch: "main", destination_branch: "other" }],
      ["PUT", `${at}/settings/gc_rules`, { default_retention_days: 1, branches: [] }],
      ["PUT", `${at}/settings/branch_protection`, [{ pattern: "main" }]],
      ["POST", `${at}/gc/prepare_commits`],
      ["POST", `${at}/gc/prepare_uncommited`, {}],
      ["PUT", `${at}/refs/restore`, REFS],
      ["DELETE", `${at}?force=true`],
      ["POST", "/repositories", { name: "second", storage_namespace: "local://sales-west" }],
      ["POST", "/repositories", { name: "second", storage_namespace: "local://sales-west/below" }],
    ] as const;
    const passed: string[] = [];
    for (const [method, path, body] of WRITES) {
      const { status, text } = await data(west, method, path, body, key);
      const isRefused = status === 401 || status === 403 || text.includes("insufficient permissions");
      if (!isRefused) passed.push(`${method} ${path}: ${status} ${text}`);
    }
    expect(passed).toEqual([]);
    expect(await putByGateway(west, key, "sales-west/main/x")).toBe(403);
    expect((await data(west, "GET", `${at}/refs/main/objects?path=a`, undefined, key)).text).toBe("a");
    expect(await shown()).toBe(head);
    const staged = await data(west, "GET", `${main}/diff`);
    expect(staged.json.results).toEqual([]);
  });

  it("goes on with what the source commits, and is deleted with its user", async () => {
    const head = await commit("b");
    replicate();
    await expect.poll(shown, { interval: 300 }).toBe(head);
    expect(await putByGateway(source, DEVELOPER, "sales/main/x")).toBe(200);
    const deleted = await ask(`${service.userUrl}${MIRRORS}/sales-west`, ADMIN, "DELETE");
    expect(deleted.status, deleted.text).toBe(204);
    // Its caches answer for it for some seconds.
    const status = async () => (await data(west, "GET", "/repositories/sales-west")).status;
    await expect.poll(status).toBe(404);
    await expect(service.directory.users.get("mirror-sales-west")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});
