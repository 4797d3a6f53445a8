/** The past of a directory: entries about a thing, versions of policies, and going back. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import type { RestoreOptions } from "../../src/directory/history.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { BACKENDS } from "./backends.ts";
import { comparable, READS, WRITES } from "./history-kit.ts";
import { openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

/** `N.LOG.ENTRY`. */
const POSITION = /^\d+(\.[\w-]{8}){2}$/;

describe.each(BACKENDS)("the past of a directory on $name", (backend) => {
  let bed: TestDirectory;
  beforeEach(async () => {
    bed = await openTestDirectory({ backend });
  });
  afterEach(() => bed.close());

  const revision = () => bed.store.history.head.revision;
  const now = async () => comparable(await bed.directory.batches.state({ secrets: false }));
  const restore = async (from: number, options: Partial<RestoreOptions> = {}) => {
    const all = { withCredentials: false, forgetRevocations: false, dryRun: false, ...options };
    const { changes, lostKeys, revocations, ...report } = await bed.directory.history.restore(from, all);
    return { ...report, changes: [...changes], lostKeys: [...lostKeys], revocations: [...revocations] };
  };
  const below = async (position: string | undefined) =>
    position === undefined ? {} : { before: await bed.directory.history.revisionOf(position) };
  const versions = async (name: string, after?: string, amount = 100) => {
    const page = { amount, ...(await below(after)) };
    const { results, next } = await bed.directory.history.policyVersions(name, page);
    return { found: results.map((one) => [one.revision, one.policy?.statement, one.actors]), next };
  };

  it("lists what was done about a user, by whom, newest first and page by page", async () => {
    const { users, groups } = bed.directory;
    await users.create({ username: "é" });
    const first = revision();
    await users.create({ username: "other" });
    await groups.create({ name: "G" });
    await bed.directory.actingFor({ name: "admin" }, () => groups.addMember("G", "é"));
    const second = revision();
    await users.update("é", { friendly_name: "E" });
    const third = revision();
    const about = async (after?: string) =>
      bed.directory.history.about({ kind: "user", name: "é" }, { amount: 2, ...(await below(after)) });
    const { results, next } = await about();
    expect(results).toEqual([
      {
        revision: third,
        position: expect.stringMatching(POSITION),
        at: expect.any(String),
        actors: [],
        touched: ["users"],
      },
      {
        revision: second,
        position: expect.stringMatching(POSITION),
        at: expect.any(String),
        actors: ["admin"],
        touched: ["users", "groups"],
      },
    ]);
    expect((await about(next)).results.map((one) => one.revision)).toEqual([first]);
    const thing = { kind: "user", name: "nobody" } as const;
    expect((await bed.directory.history.about(thing, { amount: 100 })).results).toEqual([]);
  });

  it("has each version of a policy, with its removal, and none for what else is about it", async () => {
    const { policies, users } = bed.directory;
    await policies.create({ name: "P", statement: READS });
    const first = revision();
    await users.create({ username: "u" });
    await users.attachPolicy("u", "P");
    await bed.directory.actingFor({ name: "é" }, () => policies.update({ name: "P", statement: WRITES }));
    const second = revision();
    await policies.delete("P");
    const third = revision();
    expect((await versions("P")).found).toEqual([
      [third, undefined, []],
      [second, WRITES, ["é"]],
      [first, READS, []],
    ]);
    const { policyVersion } = bed.directory.history;
    expect(await policyVersion("P", String(second))).toMatchObject({ policy: { statement: WRITES } });
    for (const wrong of [third, first + 1, 0, 1_000_000]) {
      await expect(policyVersion("P", String(wrong))).rejects.toMatchObject({ code: "not_found" });
    }
    await expect(policyVersion("none", String(first))).rejects.toMatchObject({ code: "not_found" });
    const page = await versions("P", undefined, 2);
    expect(page.found.map(([at]) => at)).toEqual([third, second]);
    expect((await versions("P", page.next)).found.map(([at]) => at)).toEqual([first]);
  });

  it("has the version that was in force before everything that is kept", async () => {
    const { policies, users } = bed.directory;
    await policies.create({ name: "P", statement: READS });
    const first = revision();
    await users.create({ username: "u" });
    await bed.store.history.forgetPast();
    await policies.update({ name: "P", statement: WRITES });
    expect((await versions("P")).found).toEqual([
      [revision(), WRITES, []],
      [first, READS, []],
    ]);
    const found = await bed.directory.history.policyVersion("P", String(first));
    expect(found).toMatchObject({ at: undefined, policy: { statement: READS } });
  });

  it("decodes nothing but the policy of an entry that wrote it together with many others", async () => {
    const others = Array.from({ length: 500 }, (_, index): BatchOperation => {
      return { op: "put_policy", policy: { name: `other-${index}`, statement: READS } };
    });
    const one: BatchOperation = { op: "put_policy", policy: { name: "P", statement: READS } };
    await bed.directory.batches.apply([...others, one], { managed: false });
    await bed.directory.policies.update({ name: "P", statement: WRITES });
    await versions("other-7");
    const decoded = vi.spyOn(JSON, "parse");
    try {
      expect((await versions("P")).found.map(([, statement]) => statement)).toEqual([WRITES, READS]);
      expect(decoded.mock.calls.length).toBeLessThan(100);
    } finally {
      decoded.mockRestore();
    }
  });

  it("brings back who was deleted with a new id, without keys, and ends the sessions of those it touches", async () => {
    const { users, credentials, sessions, policies } = bed.directory;
    await users.create({ username: "alice", external_id: "sso|1", encryptedPassword: "then" });
    await credentials.create("alice", { access_key_id: "K", secret_access_key: "s" });
    await policies.create({ name: "P", statement: READS });
    await users.attachPolicy("alice", "P");
    const before = await sessions.get("alice");
    const then = revision();
    await users.delete("alice");
    await users.create({ username: "bob", external_id: "sso|1" });
    const report = await restore(then, { forgetRevocations: true });
    expect(report.changes).toEqual([
      { change: "remove", kind: "user", name: "bob" },
      { change: "create", kind: "user", name: "alice" },
      { change: "create", kind: "attachment", name: "P to user alice" },
    ]);
    const after = await sessions.get("alice");
    expect(after.userId).not.toBe(before.userId);
    expect([after.since === before.since, after.validFrom]).toEqual([false, undefined]);
    expect((await credentials.list("alice", { amount: 10 })).results).toEqual([]);
    expect((await users.get("alice")).encryptedPassword).toBeUndefined();
    expect((await users.list({ amount: 10 }, { external_id: "sso|1" })).results).toMatchObject([
      { username: "alice" },
    ]);
  });

  it("restores passwords and keys only where asked, and names the keys that it cannot restore", async () => {
    const { users, credentials } = bed.directory;
    await users.create({ username: "alice", encryptedPassword: "then" });
    await users.create({ username: "bob" });
    for (const id of ["K1", "K2", "K3"]) {
      await credentials.create("alice", { access_key_id: id, secret_access_key: `secret of ${id}` });
    }
    const then = revision();
    await users.update("alice", { encryptedPassword: "now" });
    for (const id of ["K1", "K2"]) await credentials.delete("alice", id);
    await credentials.create("bob", { access_key_id: "K2", secret_access_key: "x" });
    await credentials.create("alice", { access_key_id: "K4", secret_access_key: "x" });
    expect((await restore(then)).changes).toEqual([]);
    expect((await users.get("alice")).encryptedPassword).toBe("now");
    const report = await restore(then, { withCredentials: true, forgetRevocations: true });
    expect(report.lostKeys).toEqual(["K2"]);
    expect(report.changes).toEqual([
      { change: "replace", kind: "password", name: "alice" },
      { change: "create", kind: "access key", name: "K1" },
    ]);
    expect((await users.get("alice")).encryptedPassword).toBe("then");
    expect((await credentials.getWithSecret("K1")).secret_access_key).toBe("secret of K1");
    const ids = (await credentials.list("alice", { amount: 10 })).results.map((key) => key.access_key_id);
    expect(ids).toEqual(["K1", "K3", "K4"]);
  });

  it("goes back over many changes in one commit, also while others write, and only rehearses a dry run", async () => {
    const { batches, users, groups, sessions } = bed.directory;
    const names = Array.from({ length: 2_500 }, (_, index) => `user-${index}`);
    await groups.create({ name: "Everyone" });
    const put = names.flatMap((username): BatchOperation[] => [
      { op: "put_user", user: { username } },
      { op: "add_member", group: "Everyone", username },
    ]);
    await batches.apply(put, { managed: false });
    const then = revision();
    const state = await now();
    const gone = names.map((username): BatchOperation => ({ op: "delete_user", username }));
    await batches.apply(gone, { managed: false });
    const before = await now();
    const planned = await restore(then, { dryRun: true, forgetRevocations: true });
    expect(await now()).toEqual(before);
    const restored = restore(then, { forgetRevocations: true });
    await users.create({ username: "meanwhile" });
    const report = await restored;
    expect(report.changes).toEqual([
      { change: "remove", kind: "user", name: "meanwhile" },
      ...planned.changes,
    ]);
    expect([...planned.endedSessions].toSorted()).toEqual(names.toSorted());
    expect((await sessions.get("user-0")).validFrom).toBeUndefined();
    expect(await now()).toEqual(state);
    expect(await checkConsistency(bed.store)).toEqual([]);
  });

  it("gives external principals back only where asked, and takes away those given since", async () => {
    const { batches, externalPrincipals } = bed.directory;
    const put = (principal: string) =>
      batches.apply([{ op: "put_principal", username: "alice", principal }], { managed: false });
    const held = async () =>
      (await externalPrincipals.list("alice", { amount: 10 })).results.map(({ id }) => id);
    await batches.apply([{ op: "put_user", user: { username: "alice" } }], { managed: false });
    await put("role/then");
    const then = revision();
    await batches.apply([{ op: "delete_principal", username: "alice", principal: "role/then" }], {
      managed: false,
    });
    await put("role/since");
    await restore(then);
    expect(await held()).toEqual([]);
    await restore(then, { withCredentials: true, forgetRevocations: true });
    expect(await held()).toEqual(["role/then"]);
  });

  it("keeps what was revoked since, unless it is to be forgotten, and says which", async () => {
    const { users, groups, credentials, externalPrincipals } = bed.directory;
    const provisioning = bed.directory.provisioning(() => false);
    await groups.create({ name: "Admins" });
    const { id } = await provisioning.createUser({ username: "left" });
    for (const username of ["admin", "deleted", "other"]) await users.create({ username });
    for (const username of ["admin", "left", "deleted"]) await groups.addMember("Admins", username);
    await credentials.create("other", { access_key_id: "K1", secret_access_key: "s" });
    await externalPrincipals.create("other", "role/one");
    const then = revision();
    await provisioning.changeUser(id, (user) => ({ ...user, inactive: true }));
    await users.delete("deleted");
    await credentials.delete("other", "K1");
    await externalPrincipals.delete("other", "role/one");
    const revocations = [
      { kind: "deleted user", name: "deleted" },
      { kind: "inactive user", name: "left" },
      { kind: "access key", name: "K1" },
      { kind: "external principal", name: "role/one" },
    ];
    const byName = (report: { readonly revocations: readonly unknown[] }) =>
      report.revocations.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
    const inactive = async () => {
      const { users: all } = await bed.directory.batches.state({ secrets: false });
      return [...all].filter(([, { user }]) => user.value.inactive === true).map(([name]) => name);
    };
    const kept = await restore(then, { withCredentials: true });
    expect(byName(kept)).toEqual(byName({ revocations }));
    expect(await inactive()).toEqual(["deleted", "left"]);
    await expect(credentials.getWithSecret("K1")).rejects.toMatchObject({ code: "not_found" });
    await expect(externalPrincipals.get("role/one")).rejects.toMatchObject({ code: "not_found" });
    await users.delete("deleted");
    const forgotten = await restore(then, { withCredentials: true, forgetRevocations: true });
    expect(byName(forgotten)).toEqual(byName({ revocations }));
    expect(await inactive()).toEqual([]);
    expect((await credentials.getWithSecret("K1")).secret_access_key).toBe("s");
    expect((await externalPrincipals.get("role/one")).username).toBe("other");
    const all = revision();
    await users.create({ username: "new admin" });
    await groups.addMember("Admins", "new admin");
    for (const username of ["admin", "left", "deleted"]) await users.delete(username);
    await expect(restore(all)).rejects.toThrow(/stays inactive.*--forget-revocations/);
  });

  it("gives nothing of a deleted user to who has the name now", async () => {
    const { users, groups, credentials, sessions } = bed.directory;
    await groups.create({ name: "G" });
    await users.create({ username: "alice", external_id: "sso|1" });
    await groups.addMember("G", "alice");
    const then = revision();
    await users.delete("alice");
    await users.create({ username: "alice" });
    await credentials.create("alice", { access_key_id: "K", secret_access_key: "of the other alice" });
    const { userId } = await sessions.get("alice");
    const report = await restore(then);
    expect(report.changes).toEqual([
      { change: "remove", kind: "user", name: "alice" },
      { change: "create", kind: "user", name: "alice" },
      { change: "create", kind: "membership", name: "alice in G" },
    ]);
    expect(report.revocations).toEqual([{ kind: "deleted user", name: "alice" }]);
    await expect(credentials.getWithSecret("K")).rejects.toMatchObject({ code: "not_found" });
    expect(await users.get("alice")).toMatchObject({ external_id: "sso|1", inactive: true });
    await users.update("alice", { inactive: false });
    expect((await sessions.get("alice")).userId).not.toBe(userId);
    expect((await credentials.list("alice", { amount: 10 })).results).toEqual([]);
    // Whom a restore brought back is not somebody else for the next one.
    await credentials.create("alice", { access_key_id: "K2", secret_access_key: "of alice again" });
    expect(await restore(then)).toMatchObject({ changes: [], revocations: [] });
    expect((await credentials.getWithSecret("K2")).username).toBe("alice");
    await users.delete("alice");
    await restore(then, { forgetRevocations: true });
    const last = revision();
    expect((await restore(then)).changes).toEqual([]);
    expect((await restore(last)).changes).toEqual([]);
    expect(await checkConsistency(bed.store)).toEqual([]);
  });

  it("refuses to leave nobody in Admins, and a revision that is not kept", async () => {
    const { users, groups } = bed.directory;
    await groups.create({ name: "Admins" });
    const empty = revision();
    await users.create({ username: "admin" });
    await groups.addMember("Admins", "admin");
    const before = await now();
    await expect(restore(empty)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(restore(revision() + 1)).rejects.toMatchObject({ code: "not_found" });
    expect(await now()).toEqual(before);
    await bed.store.history.forgetPast();
    await expect(restore(empty)).rejects.toMatchObject({ code: "not_found" });
  });

  it("refuses to leave only inactive users in Admins", async () => {
    const { users, groups } = bed.directory;
    const provisioning = bed.directory.provisioning(() => false);
    const change = (inactive: boolean) => provisioning.changeUser(id, (user) => ({ ...user, inactive }));
    await groups.create({ name: "Admins" });
    const { id } = await provisioning.createUser({ username: "admin" });
    await groups.addMember("Admins", "admin");
    await change(true);
    const inactive = revision();
    await users.create({ username: "other" });
    await restore(inactive);
    await change(false);
    const before = await now();
    await expect(restore(inactive)).rejects.toMatchObject({ code: "invalid_request" });
    expect(await now()).toEqual(before);
  });

  it("only says what would change in a dry run", async () => {
    await bed.directory.users.create({ username: "alice" });
    const then = revision();
    await bed.directory.users.delete("alice");
    await bed.directory.close();
    const before = [revision(), await now()];
    const report = await restore(then, { dryRun: true });
    expect(report.changes).toEqual([{ change: "create", kind: "user", name: "alice" }]);
    expect([revision(), await now()]).toEqual(before);
  });

  it("finds the revision of a time, and refuses a time before the log", async () => {
    const { history, users } = bed.directory;
    const times: (readonly [number, number])[] = [];
    for (let index = 0; index < 5; index++) {
      await users.create({ username: `u${index}` });
      times.push([revision(), Date.parse(bed.store.history.head.at)]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (const [expected, time] of times) {
      expect(await history.revisionAt(new Date(time))).toBe(expected);
      expect(await history.revisionAt(new Date(time + 1))).toBe(expected);
    }
    expect(await history.revisionAt(new Date(Date.now() + 60_000))).toBe(revision());
    await expect(history.revisionAt(new Date(0))).rejects.toMatchObject({ code: "not_found" });
  });
});
