/** An embedded decision point follows a real service: changes, a break, a restart, its bound of staleness. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EmbeddedAuthorizer,
  type FollowOptions,
} from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { filterAllowed } from "@svc-authorizer/client/filter-allowed.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, expect, it, vi } from "vitest";

const OBJECT = "arn:svc:fs:::repository/r/object/o";
const TOKEN = "replicate-token-of-this-test-0123456789";

const folders: string[] = [];
const running: TestAuthorizer[] = [];
const points: EmbeddedAuthorizer[] = [];
afterEach(async () => {
  for (const point of points.splice(0)) point.close();
  for (const one of running.splice(0)) await one.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(config: Record<string, unknown> = {}): Promise<TestAuthorizer> {
  const authorizer = await startAuthorizer({
    dataset: "fixtures/datasets/roles.yaml",
    config: {
      "authorizer.tokens": [{ name: "replica", token: TOKEN, scopes: ["replicate"] }],
      ...config,
    } as never,
  });
  running.push(authorizer);
  return authorizer;
}

async function follow(url: string, options: Partial<FollowOptions> = {}): Promise<EmbeddedAuthorizer> {
  const point = await EmbeddedAuthorizer.follow({ url, token: TOKEN, ...options });
  points.push(point);
  return point;
}

it("decides synchronously as the service does, with the revision that it decides from", async () => {
  const { url, client } = await start();
  const point = await follow(url);
  expect(point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(true);
  expect(point.allows("viewer", "fs:WriteObject", OBJECT)).toBe(false);
  expect(point.allows("nobody", "fs:ReadObject", OBJECT)).toBe(false);
  const check = { user: "viewer", required: { action: "fs:WriteObject", resource: OBJECT } };
  const { id: _, ...served } = await client.check(check);
  expect(point.check(check)).toEqual(served);
  const { id: __, ...unknown } = await client.check({ ...check, user: "nobody" });
  expect(point.check({ ...check, user: "nobody" })).toEqual(unknown);
  expect(point.revision).toBe(client.revision);
  expect(point.staleness).toBeLessThan(10_000);
});

it("refuses within a second what is revoked at the service, however it was granted", async () => {
  const { url, directory } = await start();
  const point = await follow(url);
  const refused = () => expect.poll(() => point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(false);
  const allowed = () => expect.poll(() => point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(true);
  await allowed();
  await directory.groups.removeMember("Viewers", "viewer");
  await refused();
  await directory.groups.addMember("Viewers", "viewer");
  await allowed();
  const policies = await directory.groups.policies("Viewers", { amount: 100 });
  for (const { name } of policies.results) await directory.groups.detachPolicy("Viewers", name);
  await refused();
  for (const { name } of policies.results) await directory.users.attachPolicy("viewer", name);
  await allowed();
  await directory.users.delete("viewer");
  await refused();
  await directory.users.create({ username: "viewer" });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await refused();
});

it("survives a restart of the service, goes on where it was, and refuses beyond its bound", async () => {
  const folder = mkdtempSync(join(tmpdir(), "embedded-"));
  folders.push(folder);
  const config = {
    "database.type": "local",
    "database.local.path": join(folder, "store"),
    "auth.encrypt.secret_key": "only-for-this-test-0123456789abcdef",
  };
  const first = await start(config);
  const port = new URL(first.url).port;
  const errors: string[] = [];
  const point = await follow(first.url, { maxStaleness: 6_500, onError: ({ code }) => errors.push(code) });
  const before = point.revision;
  running.splice(0);
  await first.close();
  // Within the bound it goes on deciding.
  expect(point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(true);
  await expect.poll(() => point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(false);
  const check = { user: "viewer", required: { action: "fs:ReadObject", resource: OBJECT } };
  expect(point.check(check)).toMatchObject({ allowed: false, reason: "stale" });
  expect(point.check(check).message).toContain("without contact");
  const list = { user: "viewer", action: "fs:ReadObject", resources: [OBJECT] };
  expect(() => point.filter(list)).toThrow(expect.objectContaining({ name: "ClientError", code: "stale" }));
  const items = { ...list, resource: (arn: string) => arn };
  await expect(filterAllowed(point, items, [OBJECT])).rejects.toMatchObject({ code: "stale" });
  await start({ ...config, "authorizer.listen_address": `127.0.0.1:${port}` });
  await expect.poll(() => point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(true);
  expect(errors.length).toBeGreaterThan(0);
  expect(Number.parseInt(point.revision ?? "", 10)).toBeGreaterThanOrEqual(Number.parseInt(before ?? "", 10));
});

it("starts anew where the service has another database", async () => {
  const first = await start();
  const port = new URL(first.url).port;
  const point = await follow(first.url);
  const log = point.revision?.split(".")[1];
  running.splice(0);
  await first.close();
  const second = await start({ "authorizer.listen_address": `127.0.0.1:${port}` });
  await second.directory.users.delete("viewer");
  // Without the service it refuses everybody.
  await vi.waitFor(() => {
    expect(point.allows("viewer", "fs:ReadObject", OBJECT)).toBe(false);
    expect(point.allows("developer", "fs:WriteObject", OBJECT)).toBe(true);
  }, 60_000);
  expect(point.revision?.split(".")[1]).not.toBe(log);
});

it("says at once that the token is wrong or has another scope", async () => {
  const { url } = await start();
  await expect(EmbeddedAuthorizer.follow({ url, token: "x".repeat(40) })).rejects.toMatchObject({
    code: "unauthenticated",
  });
});

it("waits for a service that is not there yet, until the signal ends it", async () => {
  const signal = AbortSignal.timeout(300);
  await expect(
    EmbeddedAuthorizer.follow({ url: "http://127.0.0.1:1", token: TOKEN, signal }),
  ).rejects.toMatchObject({ name: "TimeoutError" });
});

it("refuses everything once it is closed", async () => {
  const { url } = await start();
  const point = await follow(url);
  point.close();
  expect(
    point.check({ user: "viewer", required: { action: "fs:ReadObject", resource: OBJECT } }),
  ).toMatchObject({ allowed: false, reason: "closed" });
  const list = { user: "viewer", action: "fs:ReadObject", resources: [OBJECT] };
  expect(() => point.filter(list)).toThrow(expect.objectContaining({ code: "unavailable" }));
});
