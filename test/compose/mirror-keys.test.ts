/** Users of mirrors, and what becomes of one whose mirror goes while its key is made. */
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { MirrorKeys } from "../../src/compose/mirror-keys.ts";
import { MirrorRecords } from "../../src/mirroring/mirror-records.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";
import { STORED_MIRROR } from "../mirroring/stored-mirror.ts";
import { openedEach } from "../opened.ts";

const opened = openedEach(() => openTestDirectory());

const USER = "mirror-sales-west";

it("leaves no user of a mirror that is forgotten while its key is made", async () => {
  const { directory, store } = opened;
  const { serviceUsers, users, policies } = directory;
  const records = new MirrorRecords(store);
  await records.add(STORED_MIRROR, () => {});
  const told: unknown[] = [];
  const keys = new MirrorKeys({
    directory,
    partition: "svc",
    audit: { event: (_, fields) => void told.push(fields?.["operation"]) },
    exists: async ({ name, uid }) => (await records.get(name))?.mirror.uid === uid,
  });
  const { createKey } = serviceUsers;
  serviceUsers.createKey = async (...asked) => {
    serviceUsers.createKey = createKey;
    await records.remove((await records.get(STORED_MIRROR.name))!);
    await keys.forget(STORED_MIRROR);
    return createKey(...asked);
  };
  await expect(keys.of(STORED_MIRROR, false).get()).rejects.toThrow("was deleted");
  for (const find of [users.get(USER), policies.get(USER)])
    await expect(find).rejects.toMatchObject({ code: "not_found" });
  expect(told).toEqual(["createMirrorUser", "deleteMirrorUser"]);
});

it("tells of a user that may have been made or removed, where nobody knows", async () => {
  const { directory, store } = opened;
  const records = new MirrorRecords(store);
  await records.add(STORED_MIRROR, () => {});
  const told: unknown[] = [];
  const unknown = async (): Promise<never> => {
    throw new AuthorizerError("outcome_unknown", "nobody knows");
  };
  const keys = new MirrorKeys({
    directory: {
      ...directory,
      serviceUsers: { ...directory.serviceUsers, createKey: unknown, delete: unknown },
    },
    partition: "svc",
    audit: { event: (_, fields) => void told.push([fields?.["operation"], fields?.["outcome"]]) },
    exists: async () => true,
  });
  await expect(keys.of(STORED_MIRROR, false).get()).rejects.toThrow("nobody knows");
  await expect(keys.forget(STORED_MIRROR)).rejects.toThrow("nobody knows");
  expect(told).toEqual([
    ["renewMirrorKey", "unknown"],
    ["deleteMirrorUser", "unknown"],
  ]);
});

it("removes at a start the users of mirrors that are no more, where whoever forgot them could not", async () => {
  const { directory, store } = opened;
  const { serviceUsers, users } = directory;
  const records = new MirrorRecords(store);
  await records.add(STORED_MIRROR, () => {});
  const statement = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }] as const;
  for (const [username, worksFor] of [
    [USER, STORED_MIRROR.uid],
    ["mirror-gone", "a mirror that is no more"],
    ["mirror-new", "a mirror that is being made"],
  ] as const) {
    await serviceUsers.createKey({ username, worksFor, policy: { statement } }, 3_600);
  }
  await users.create({ username: "mirror-person" });
  const told: unknown[] = [];
  let ahead = 3_500_000;
  const keys = new MirrorKeys({
    directory,
    partition: "svc",
    audit: { event: (_, fields) => void told.push([fields?.["operation"], fields?.["user"]]) },
    exists: async () => true,
    now: () => Date.now() + ahead,
  });
  const known = new Set([STORED_MIRROR.uid]);
  await keys.sweep(known);
  expect(told).toEqual([]);
  ahead = 3_700_000;
  await keys.sweep(new Set([...known, "a mirror that is being made"]));
  expect(told).toEqual([["deleteMirrorUser", "mirror-gone"]]);
  const left = await users.list({ prefix: "mirror-", amount: 10 });
  expect(left.results.map(({ username }) => username)).toEqual(["mirror-new", "mirror-person", USER]);
});
