/** Users that work for the service itself: nobody else can act as one. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { exportedText } from "../datasets/exported-text.ts";
import { BACKENDS, codeOf } from "./backends.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const PAGE = { amount: 100 };
const NAME = "mirror-sales-west";
const POLICY = { statement: [{ effect: "allow", action: ["fs:ListRepositories"], resource: "*" }] } as const;
const USER = { username: NAME, worksFor: "one", policy: POLICY };

describe.each(BACKENDS)("a user that works for the service on $name", (backend) => {
  let bed: TestDirectory;
  let now = 1_700_000_000;
  beforeEach(async () => {
    bed = await openTestDirectory({ backend, now: () => now, nowMs: () => now * 1_000 });
  });
  afterEach(async () => {
    await bed.directory.close();
    expect(await checkConsistency(bed.store)).toEqual([]);
    await bed.close();
  });

  it("has keys that hold, that no list has, and that expire", async () => {
    const { serviceUsers, credentials, sessions, users } = bed.directory;
    const { key, isNewUser } = await serviceUsers.createKey(USER, 60);
    expect(isNewUser).toBe(true);
    expect(await serviceUsers.worksFor(NAME)).toBe("one");
    expect(await credentials.getWithSecret(key.access_key_id)).toMatchObject({
      username: NAME,
      secret_access_key: key.secret_access_key,
    });
    expect(await sessions.key(key.access_key_id)).toMatchObject({ username: NAME, isOfService: true });
    expect((await credentials.list(NAME, PAGE)).results).toEqual([]);
    expect((await users.policies(NAME, PAGE)).results).toMatchObject([{ name: NAME, ...POLICY }]);
    const second = await serviceUsers.createKey(USER, 600);
    expect(second.isNewUser).toBe(false);
    now += 60;
    expect(await codeOf(credentials.getWithSecret(key.access_key_id))).toBe("not_found");
    expect(await credentials.getWithSecret(second.key.access_key_id)).toMatchObject({ username: NAME });
  });

  it("is nobody whom anybody could be: no key, principal, password, mark of a person or session", async () => {
    const { directory } = bed;
    await directory.serviceUsers.createKey(USER, 60);
    const { credentials, externalPrincipals, sessions, passwords, users, batches } = directory;
    expect(await codeOf(credentials.create(NAME))).toBe("not_allowed");
    expect(await codeOf(credentials.createTemporary(NAME, 60))).toBe("not_found");
    expect(await codeOf(externalPrincipals.create(NAME, "arn:aws:sts::1:assumed-role/a/b"))).toBe(
      "not_allowed",
    );
    expect(await codeOf(sessions.get(NAME))).toBe("not_found");
    const principal = await directory.principal(NAME);
    const set = passwords.set({ username: NAME, userId: principal?.id ?? "" }, "hash");
    expect(await codeOf(set)).toBe("not_allowed");
    const changed = await users.update(NAME, {
      email: "a@example.com",
      encryptedPassword: "hash",
      friendly_name: "x",
    });
    expect(changed).toEqual({ username: NAME, creation_date: changed.creation_date, friendly_name: "x" });
    const key = { access_key_id: "K", secret_access_key: "s" };
    for (const operation of [
      { op: "put_credential", username: NAME, ...key },
      { op: "put_principal", username: NAME, principal: "p" },
    ] as const)
      expect(await codeOf(batches.apply([operation], { managed: false }))).toBe("not_allowed");
    const put = {
      op: "put_user",
      user: { username: NAME, external_id: "e", encryptedPassword: "hash" },
    } as const;
    await batches.apply([put], { managed: true });
    expect(await users.get(NAME)).toEqual({ username: NAME, creation_date: changed.creation_date });
    expect(await directory.serviceUsers.worksFor(NAME)).toBe("one");
  });

  it("is made again where somebody removed it, or changed or detached its policy", async () => {
    const { serviceUsers, users, policies } = bed.directory;
    await serviceUsers.createKey(USER, 60);
    await policies.update({ name: NAME, statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] });
    await users.detachPolicy(NAME, NAME);
    expect((await serviceUsers.createKey(USER, 60)).isNewUser).toBe(false);
    expect((await users.policies(NAME, PAGE)).results).toMatchObject([{ name: NAME, ...POLICY }]);
    await users.delete(NAME);
    expect((await serviceUsers.createKey(USER, 60)).isNewUser).toBe(true);
    expect((await users.policies(NAME, PAGE)).results).toMatchObject([{ name: NAME, ...POLICY }]);
  });

  it("takes no user and no policy of somebody else, and gives way to the next work of its name", async () => {
    const { serviceUsers, users, policies, credentials } = bed.directory;
    await users.create({ username: NAME });
    expect(await codeOf(serviceUsers.createKey(USER, 60))).toBe("already_exists");
    expect(await serviceUsers.worksFor(NAME)).toBeUndefined();
    expect(await serviceUsers.delete(NAME, "one")).toBe(false);
    await users.delete(NAME);
    await policies.create({ name: NAME, statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }] });
    expect(await codeOf(serviceUsers.createKey(USER, 60))).toBe("already_exists");
    await policies.delete(NAME);
    const { key } = await serviceUsers.createKey(USER, 60);
    expect((await serviceUsers.createKey({ ...USER, worksFor: "two" }, 60)).isNewUser).toBe(true);
    expect(await codeOf(credentials.getWithSecret(key.access_key_id))).toBe("not_found");
    expect(await serviceUsers.delete(NAME, "one")).toBe(false);
    expect(await serviceUsers.delete(NAME, "two")).toBe(true);
    expect(await codeOf(users.get(NAME))).toBe("not_found");
    expect(await codeOf(policies.get(NAME))).toBe("not_found");
  });

  it("is in no export, and neither is its policy", async () => {
    const { serviceUsers, users, policies } = bed.directory;
    await serviceUsers.createKey(USER, 60);
    await users.create({ username: "alice" });
    await policies.create({ name: "Reads", ...POLICY });
    for (const policy of ["Reads", NAME]) await users.attachPolicy("alice", policy);
    const { text, omittedServiceUsers } = await exportedText(bed.directory, {
      format: "json",
      secrets: true,
    });
    expect(text).not.toContain(NAME);
    expect(JSON.parse(text)).toMatchObject({
      users: [{ username: "alice", policies: ["Reads"] }],
      policies: [{ name: "Reads" }],
    });
    expect(omittedServiceUsers).toBe(1);
  });

  describe("where the directory goes back", () => {
    const revision = () => bed.store.history.head.revision;
    const restore = (to: number) =>
      bed.directory.history.restore(to, {
        withCredentials: true,
        forgetRevocations: true,
        dryRun: false,
      });
    beforeEach(async () => {
      await bed.directory.users.create({ username: "alice" });
    });

    it("does not come back as a person: its work is over, and the name is free for the next", async () => {
      const { serviceUsers, users, policies } = bed.directory;
      await serviceUsers.createKey(USER, 60);
      await users.attachPolicy("alice", NAME);
      const then = revision();
      await serviceUsers.delete(NAME, "one");
      await restore(then);
      expect(await codeOf(users.get(NAME))).toBe("not_found");
      expect(await codeOf(policies.get(NAME))).toBe("not_found");
      expect((await serviceUsers.createKey({ ...USER, worksFor: "two" }, 60)).isNewUser).toBe(true);
    });

    it("goes on with its work, its policy and its keys", async () => {
      const { serviceUsers, users, credentials } = bed.directory;
      await serviceUsers.createKey({ ...USER, policy: { statement: [] } }, 60).catch(() => undefined);
      const then = revision();
      const { key } = await serviceUsers.createKey(USER, 600);
      await restore(then);
      expect(await serviceUsers.worksFor(NAME)).toBe("one");
      expect(await credentials.getWithSecret(key.access_key_id)).toMatchObject({ username: NAME });
      expect((await users.policies(NAME, PAGE)).results).toMatchObject([{ name: NAME, ...POLICY }]);
    });

    it("stays where a person had the name then, and gives way to nobody", async () => {
      const { serviceUsers, users } = bed.directory;
      await users.create({ username: NAME });
      const then = revision();
      await users.delete(NAME);
      await serviceUsers.createKey(USER, 60);
      await restore(then);
      expect(await serviceUsers.worksFor(NAME)).toBe("one");
      await serviceUsers.delete(NAME, "one");
      await users.create({ username: NAME });
      await restore(then);
      expect(await serviceUsers.worksFor(NAME)).toBeUndefined();
      expect(await users.get(NAME)).toMatchObject({ username: NAME });
    });
  });
});
