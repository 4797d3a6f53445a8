import { copyFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it, vi } from "vitest";
import { openDirectory } from "../../src/directory/open-directory.ts";
import { checkWholeStore } from "../../src/directory/upkeep/check-store.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/store/", import.meta.url));
const SECRET_KEY = "the secret key of the fixtures, long enough";
const EARLIER_KEY = "an earlier secret key of the fixtures";

/** Stores of format 1, by name of the fixture. What each holds after its migration is beside it. */
const KILLED = ["format-1-open-batch", "format-1-committed-batch"];
const WAITING = "format-1-sweeps-mails-two-keys";

let parent: string;
let path: string;
beforeEach(() => {
  parent = temporaryFolder();
  path = join(parent, "store");
  mkdirSync(path);
});

function plant(fixture: string): void {
  const file = join(FIXTURES, fixture, "data.mdb");
  expect(statSync(file).size).toBeLessThan(200 * 1024);
  copyFileSync(file, join(path, "data.mdb"));
}

const PARTITIONS = ["batch", "batch_keys", "outbox", "outbox_failed", "invitation", "meta", "sweep"];
const OF_USERS = [
  "user",
  "external_id",
  "email",
  "user_group",
  "user_policy",
  "key",
  "user_key",
  "principal",
];
const OTHERS = ["group", "group_user", "group_policy", "policy", "policy_holder", "claim", "user_principal"];

/** Texts by partition and key. */
async function contentOf(store: Store): Promise<unknown> {
  const content: Record<string, Record<string, string>> = {};
  await withSnapshot(store, async (snapshot) => {
    for (const partition of [...PARTITIONS, ...OF_USERS, ...OTHERS]) {
      const found = await snapshot.scan(partition, { limit: 1_000 });
      if (found.length > 0) {
        content[partition] = Object.fromEntries(found.map(({ key, value }) => [key, value]));
      }
    }
  });
  return content;
}

function settledContent(fixture: string): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, `${fixture}.records.json`), "utf8"));
}

function openDirectoryOn(store: Store, previousSecretKey?: string) {
  return openDirectory({
    store,
    partition: "svc",
    services: new Set(["fs", "auth"]),
    guards: "strict",
    secretKey: SECRET_KEY,
    ...(previousSecretKey !== undefined && { previousSecretKey }),
  });
}

it.each([...KILLED, WAITING])(
  "%s has after its migration what recovery by format 1 left",
  async (fixture) => {
    plant(fixture);
    const log = { info: vi.fn(), error: vi.fn() };
    const store = await openLocalStore({ path, syncWrites: true, log });
    expect(log.info).toHaveBeenCalledWith(expect.objectContaining({ from: 1, to: 5 }), "store migrated");
    expect(await contentOf(store)).toEqual(settledContent(fixture));
    await store.close();
    const again = await openLocalStore({ path, syncWrites: true });
    expect(await contentOf(again)).toEqual(settledContent(fixture));
    await again.close();
  },
);

it.each([
  ["format-1-open-batch", "old", "ok", "not_found"],
  ["format-1-committed-batch", "new", "not_found", "ok"],
])("a batch that was killed in %s is whole or gone: users say %s", async (fixture, mark, first, carol) => {
  plant(fixture);
  const store = await openLocalStore({ path, syncWrites: true });
  const directory = await openDirectoryOn(store);
  const { users, credentials, policies } = directory;
  const outcomeOf = (name: string) =>
    users.get(name).then(
      () => "ok",
      (error: { code: string }) => error.code,
    );
  expect(await outcomeOf("user-0-é")).toBe(first);
  expect(await outcomeOf("carol")).toBe(carol);
  const { results } = await users.list({ prefix: "user-", amount: 1_000 });
  expect(new Set(results.map(({ friendly_name, email }) => `${friendly_name} ${email}`))).toEqual(
    new Set([`${mark} ${mark}@x.org`]),
  );
  expect((await credentials.getWithSecret("K7")).secret_access_key).toBe(`${mark}-secret-7`);
  expect((await policies.get("P")).statement[0]?.resource).toBe(`arn:svc:fs:::repository/${mark}`);
  await directory.close();
  expect(await checkWholeStore(store, { secretKey: SECRET_KEY, previousSecretKey: undefined })).toEqual([]);
  await store.close();
});

it("keeps queued mails, finishes sweeps and seals with the new key what the earlier one sealed", async () => {
  plant(WAITING);
  const store = await openLocalStore({ path, syncWrites: true });
  const directory = await openDirectoryOn(store, EARLIER_KEY);
  const opened = await withSnapshot(store, async (snapshot) =>
    (await snapshot.scan("outbox", { limit: 10 })).map(({ value }) => {
      const { id, username, email, secret } = JSON.parse(value) as Record<string, string>;
      return directory.mailSecrets.open(secret!, { mailId: id!, username: username!, email: email! });
    }),
  );
  expect(opened).toEqual(["token 1", "token 2"]);
  for (const [key, secret] of [
    ["BOBKEY", "the secret of bob"],
    ["DORAKEY", "the secret of dora"],
  ] as const) {
    expect((await directory.credentials.getWithSecret(key)).secret_access_key).toBe(secret);
  }
  const waiting = () => withSnapshot(store, (snapshot) => snapshot.scan("sweep", { limit: 1 }));
  await expect.poll(waiting).toEqual([]);
  const keys = () => withSnapshot(store, (snapshot) => snapshot.scan("meta", { prefix: "key/", limit: 9 }));
  await expect.poll(async () => (await keys()).length).toBe(1);
  await directory.close();
  expect(await checkWholeStore(store, { secretKey: SECRET_KEY, previousSecretKey: undefined })).toEqual([]);
  await store.close();
});
