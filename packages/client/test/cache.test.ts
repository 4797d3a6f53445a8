/** Answers that the client keeps follow the changes of the directory. */

import { AuthorizerClient, type ClientError, type WatchEvent } from "@svc-authorizer/client/client.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const OBJECT = "arn:svc:fs:::repository/r/object/o";

let authorizer: TestAuthorizer;
let client: AuthorizerClient;
let questions: number;

beforeEach(async () => {
  authorizer = await startAuthorizer({ dataset: "fixtures/datasets/roles.yaml" });
  questions = 0;
  client = new AuthorizerClient({
    url: authorizer.url,
    token: authorizer.token,
    cache: { entries: 3 },
    fetch: (input, init) => {
      if (String(input).includes("/access/")) questions++;
      return fetch(input, init);
    },
  });
});
afterEach(async () => {
  client.close();
  await authorizer.close();
});

const ask = (user = "viewer", action = "fs:ReadObject") => client.allows(user, action, OBJECT);

/** Asks until an answer comes from the cache: the watch has spoken. */
async function warm(): Promise<void> {
  await vi.waitFor(async () => {
    const before = questions;
    await ask();
    expect(questions).toBe(before);
  }, 60_000);
}

it("asks once as long as nothing changes, for permissions and refusals", async () => {
  await warm();
  await ask("viewer", "fs:WriteObject");
  const before = questions;
  for (let n = 0; n < 20; n++) {
    expect(await ask()).toBe(true);
    expect(await ask("viewer", "fs:WriteObject")).toBe(false);
  }
  expect(questions).toBe(before);
});

it("forgets what a change touches, and only that", async () => {
  await warm();
  await ask("developer", "fs:WriteObject");
  await authorizer.directory.users.update("viewer", { friendly_name: "Vera" });
  await vi.waitFor(async () => {
    const before = questions;
    await ask();
    expect(questions).toBe(before + 1);
  }, 60_000);
  const before = questions;
  expect(await ask("developer", "fs:WriteObject")).toBe(true);
  expect(questions).toBe(before);
});

it("answers by what was granted and revoked since", async () => {
  await warm();
  expect(await ask("viewer", "fs:WriteObject")).toBe(false);
  await authorizer.directory.users.attachPolicy("viewer", "FSReadWriteAll");
  await expect.poll(async () => await ask("viewer", "fs:WriteObject")).toBe(true);
  await authorizer.directory.groups.removeMember("Viewers", "viewer");
  await authorizer.directory.users.detachPolicy("viewer", "FSReadWriteAll");
  await expect.poll(async () => await ask()).toBe(false);
});

it("keeps no more than it may", async () => {
  await warm();
  for (const user of ["admin", "superuser", "developer", "viewer"]) await ask(user);
  const before = questions;
  await ask("admin");
  expect(questions).toBe(before + 1);
});

it("keeps nothing without the watch", async () => {
  await warm();
  client.close();
  const before = questions;
  await ask();
  await ask();
  expect(questions).toBe(before + 2);
});

it("counts the sleep of the machine, of which the watch does not hear, as silence", async () => {
  await warm();
  const before = questions;
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(Date.now() + 60_000);
  await ask();
  vi.useRealTimers();
  expect(questions).toBe(before + 1);
});

it("tells the changes to those who watch themselves", async () => {
  const stop = new AbortController();
  const seen: WatchEvent[] = [];
  const watching = (async () => {
    for await (const event of client.watch({ signal: stop.signal })) seen.push(event);
  })();
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  await authorizer.directory.users.create({ username: "new" });
  await vi.waitFor(
    () =>
      expect(seen).toContainEqual(expect.objectContaining({ type: "change", change: { users: ["new"] } })),
    60_000,
  );
  stop.abort();
  await watching;
});

it("ends the watch with the error where the token may not watch", async () => {
  const other = new AuthorizerClient({ url: authorizer.url, token: "x".repeat(40) });
  await expect(other.watch().next()).rejects.toMatchObject({ code: "unauthenticated" });
});

it("says that it keeps nothing where the token may not watch, and asks each time", async () => {
  const errors: ClientError[] = [];
  const told = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const clients = [{ onError: (error: ClientError) => errors.push(error) }, {}].map(
    (cache) => new AuthorizerClient({ url: authorizer.url, token: "x".repeat(40), cache }),
  );
  try {
    await expect.poll(() => errors).toMatchObject([{ code: "unauthenticated" }]);
    await expect.poll(() => told).toHaveBeenCalledTimes(1);
    expect(told.mock.calls[0]?.[0]).toMatch(
      /^svc-authorizer: no answers are kept, because the service refuses/,
    );
  } finally {
    for (const one of clients) one.close();
    told.mockRestore();
  }
});
