/** Mirrors are read-only through every entrance that reads raw requests (M5): forward-auth and `/access/v1/request`. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StandIn } from "../../mirroring/stand-in/stand-in.ts";
import { basic, callTarget, KEYS, type Management, startManagement } from "./kit.ts";

const PROXY_TOKEN = "a-token-of-the-proxy-of-the-tests-of-mirrors";
const REPOSITORY = "/api/v1/repositories/sales-west";
const MAIN = `${REPOSITORY}/branches/main`;
/** Requests of an administrator, with `force` where the data server knows it; those to the gateway have a host. */
const WRITES = [
  ["POST", `${MAIN}/objects?path=x&force=true`],
  ["DELETE", `${MAIN}/objects?path=x&force=true`],
  ["POST", `${MAIN}/commits`],
  ["PUT", MAIN],
  ["PUT", `${MAIN}/hard_reset?ref=a&force=true`],
  ["POST", `${MAIN}/revert?force=true`],
  ["DELETE", `${MAIN}?force=true`],
  ["POST", `${REPOSITORY}/commits?force=true`],
  ["POST", `${REPOSITORY}/metadata`],
  ["POST", `${REPOSITORY}/pulls`],
  ["PUT", `${REPOSITORY}/settings/gc_rules`],
  ["PUT", `${REPOSITORY}/settings/branch_protection`],
  ["DELETE", `${REPOSITORY}?force=true`],
  ["PUT", "/sales-west/main/x", "s3.example.com"],
  ["PUT", "/main/x", "sales-west.s3.example.com"],
  ["DELETE", "/sales-west/main/x", "s3.example.com"],
  ["POST", "/sales-west/main/x?uploads", "s3.example.com"],
] as const;
const READS = [
  ["GET", REPOSITORY],
  ["GET", `${REPOSITORY}/refs/main/objects?path=x`],
  ["GET", "/sales-west/main/x", "s3.example.com"],
] as const;

let source: StandIn;
let west: StandIn;
let api: Management;
beforeEach(async () => {
  source = await StandIn.start();
  west = await StandIn.start();
  source.create("sales");
  api = await startManagement({
    "authorizer.mirroring.source.endpoint": source.url,
    "authorizer.mirroring.regions": { west: { endpoint: west.url } },
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
    "gateways.s3.domain_name": "s3.example.com",
  });
});
afterEach(async () => {
  await api.close();
  await Promise.all([source.close(), west.close()]);
});

async function forwarded(method: string, uri: string, host = "data.example.com"): Promise<number> {
  const answer = await fetch(`${api.authorizer.url}/forward-auth`, {
    headers: {
      "X-Svc-Proxy-Token": PROXY_TOKEN,
      "X-Original-Method": method,
      "X-Original-URI": uri,
      "X-Original-Host": host,
      authorization: basic(KEYS.admin),
    },
  });
  await answer.text();
  return answer.status;
}

/** The decision of a gateway that names the user itself. */
async function decided(user: string, method: string, uri: string, host?: string) {
  const [path, query] = uri.split("?");
  const { url, token } = api.authorizer;
  const answer = await fetch(`${url}/access/v1/request`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      user,
      method,
      path,
      ...(query !== undefined && { query }),
      ...(host === undefined ? { api: "main" } : { api: "gateway", headers: { host } }),
    }),
  });
  return { status: answer.status, ...((await answer.json()) as { allowed?: boolean; required?: unknown }) };
}

describe("a mirror", { timeout: 60_000 }, () => {
  it("is closed to an administrator's writes, which were open before, and its own user is not", async () => {
    // A gateway signs; forward-auth refuses a password there before anything is decided.
    const plain = WRITES.filter(([, , host]) => host === undefined);
    for (const [method, uri] of plain) expect([uri, await forwarded(method, uri)]).toEqual([uri, 200]);
    const made = await callTarget(
      api.authorizer.userUrl,
      "POST",
      "/service/replication/v1/repositories/sales/mirrors",
      {
        headers: { authorization: basic(KEYS.admin) },
        body: { name: "sales-west", region: "west", storage_namespace: "local://sales-west" },
      },
    );
    expect(made.status, made.text).toBe(201);
    for (const [method, uri] of plain) expect([uri, await forwarded(method, uri)]).toEqual([uri, 403]);
    for (const [method, uri, host] of WRITES) {
      const refused = await decided("admin", method, uri, host);
      expect([uri, refused.status, refused.allowed]).toEqual([uri, 200, false]);
      const question = { user: "admin", required: refused.required, explain: true };
      const explained = await api.authorizer.client.check(question as never);
      expect(JSON.stringify(explained)).toContain("mirror_is_read_only");
    }
    for (const [method, uri, host] of READS)
      expect([uri, (await decided("admin", method, uri, host)).allowed]).toEqual([uri, true]);
    for (const [method, uri] of [
      ["PUT", MAIN],
      ["PUT", `${MAIN}/hard_reset?ref=a&force=true`],
      ["POST", `${REPOSITORY}/commits?force=true`],
      ["DELETE", `${MAIN}?force=true`],
    ] as const)
      expect([uri, (await decided("mirror-sales-west", method, uri)).allowed]).toEqual([uri, true]);
  });
});
