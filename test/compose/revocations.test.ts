/** A copy of a local store that is put back by hand does not revive what was revoked (spec/journal §4.11). */

import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DataParts, openData, openLog } from "../../src/compose/data.ts";
import { emptyStore } from "../../src/compose/store/offline-store.ts";
import { configFromObject } from "../../src/config/load.ts";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { STAGED_FROM } from "../../src/directory/write/batches/staged-batch.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let folder: string;
let data: DataParts | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => data?.close());

const store = () => join(folder, "svc-authorizer");
const file = () => `${store()}.revocations`;
const logFile = () => join(folder, "log");

function valuesOf() {
  const { values } = configFromObject({
    "database.type": "local",
    "database.local.path": folder,
    "database.local.sync_writes": false,
    "logging.output": [logFile()],
    "auth.encrypt.secret_key": "k".repeat(40),
  });
  return values;
}

async function open(keepSessions = false): Promise<DataParts> {
  await data?.close();
  const values = valuesOf();
  data = await openData(values, openLog(values), { keepSessions });
  return data;
}

/** Puts the state at the call back later. */
async function copyOf(): Promise<() => Promise<void>> {
  await data?.close();
  data = undefined;
  const copy = join(folder, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(store(), copy, { recursive: true });
  return async () => {
    await data?.close();
    data = undefined;
    rmSync(store(), { recursive: true });
    cpSync(copy, store(), { recursive: true });
  };
}

async function people(): Promise<void> {
  const { directory } = await open();
  for (const username of ["kept", "deleted", "again", "renamed", "left", "keys"]) {
    await directory.provisioning(() => false).createUser({ username });
  }
  for (const id of ["K1", "K2", "K3"]) {
    await directory.credentials.create("keys", { access_key_id: id, secret_access_key: `secret of ${id}` });
  }
  await directory.externalPrincipals.create("keys", "role/removed");
  await directory.externalPrincipals.create("keys", "role/kept");
}

const inSoon = () => Math.floor(Date.now() / 1_000) + 3_600;

async function revokeAll(): Promise<void> {
  const { directory } = await open();
  const { users, credentials, externalPrincipals, tokenClaims, provisioning } = directory;
  const provisioned = provisioning(() => false);
  const idOf = async (username: string) => (await provisioned.findUser({ username }))!.id;
  await users.delete("deleted");
  await users.delete("again");
  await users.create({ username: "again" });
  await provisioned.changeUser(await idOf("left"), (user) => ({ ...user, inactive: true }));
  await credentials.delete("keys", "K1");
  await credentials.delete("keys", "K2");
  await credentials.create("keys", { access_key_id: "K2", secret_access_key: "another secret" });
  await externalPrincipals.delete("keys", "role/removed");
  await tokenClaims.claim("token-1", inSoon());
}

async function inactive({ directory }: DataParts): Promise<readonly string[]> {
  const { users } = await directory.batches.state({ secrets: false });
  return [...users].filter(([, { user }]) => user.value.inactive === true).map(([name]) => name);
}

/** Names the sessions that hold. */
const sinceOf = async (username: string) => (await data!.directory.sessions.get(username)).since;

it("keeps each revocation, ends all sessions, and says so", async () => {
  await people();
  const before = await sinceOf("kept");
  const putBack = await copyOf();
  await revokeAll();
  await putBack();
  const opened = await open();
  const { credentials, externalPrincipals, tokenClaims, sessions } = opened.directory;
  expect(await inactive(opened)).toEqual(["again", "deleted", "left"]);
  for (const id of ["K1", "K2"]) {
    await expect(credentials.getWithSecret(id)).rejects.toMatchObject({ code: "not_found" });
  }
  expect((await credentials.getWithSecret("K3")).secret_access_key).toBe("secret of K3");
  await expect(externalPrincipals.get("role/removed")).rejects.toMatchObject({ code: "not_found" });
  expect((await externalPrincipals.get("role/kept")).username).toBe("keys");
  await expect(tokenClaims.claim("token-1", inSoon())).rejects.toThrow("claimed already");
  expect((await sessions.get("kept")).since).not.toBe(before);
  expect(await checkConsistency(opened.store)).toEqual([]);
  await open();
  const said = readFileSync(logFile(), "utf8")
    .split("\n")
    .filter((line) => line.includes("was put back"));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("stays revoked");
});

it("keeps sessions where that is asked for, but those that had ended", async () => {
  await people();
  const before = { kept: await sinceOf("kept"), keys: await sinceOf("keys") };
  const putBack = await copyOf();
  await revokeAll();
  await putBack();
  await open(true);
  expect(await sinceOf("kept")).toBe(before.kept);
  // The removal of a key ended the sessions of its user.
  expect(await sinceOf("keys")).not.toBe(before.keys);
});

it("keeps what a change in pieces revokes", async () => {
  await people();
  const putBack = await copyOf();
  const { batches } = (await open()).directory;
  const others = Array.from({ length: STAGED_FROM }, (_, index): BatchOperation => {
    return { op: "put_user", user: { username: `other-${index}` } };
  });
  const operations: BatchOperation[] = [
    { op: "delete_user", username: "deleted" },
    { op: "delete_user", username: "again" },
    { op: "put_user", user: { username: "left", inactive: true } },
    { op: "delete_credential", username: "keys", access_key_id: "K1" },
    { op: "delete_principal", username: "keys", principal: "role/removed" },
    ...others,
    { op: "put_user", user: { username: "again" } },
  ];
  await batches.apply(operations, { managed: false });
  await putBack();
  const opened = await open();
  expect(await inactive(opened)).toEqual(["again", "deleted", "left"]);
  const { credentials, externalPrincipals } = opened.directory;
  await expect(credentials.getWithSecret("K1")).rejects.toMatchObject({ code: "not_found" });
  await expect(externalPrincipals.get("role/removed")).rejects.toMatchObject({ code: "not_found" });
  expect((await externalPrincipals.get("role/kept")).username).toBe("keys");
});

it("knows a user who was renamed: what is revoked under the new name is not in force under the old one", async () => {
  await people();
  const before = { kept: await sinceOf("kept"), again: await sinceOf("again") };
  const putBack = await copyOf();
  const { users, provisioning, credentials, sessions } = (await open()).directory;
  const change = async (username: string, fields: { username: string; inactive?: boolean }) => {
    const provisioned = provisioning(() => false);
    const { id } = (await provisioned.findUser({ username }))!;
    await provisioned.changeUser(id, (user) => ({ ...user, ...fields }));
  };
  for (const name of ["left", "deleted", "again", "keys"]) await change(name, { username: `${name} now` });
  await change("left now", { username: "left at last" });
  await change("left at last", { username: "left at last", inactive: true });
  await users.delete("deleted now");
  // Somebody else has the former name; who had it goes on under the new one.
  await users.create({ username: "again" });
  await credentials.delete("keys now", "K1");
  await sessions.end("again now");
  await putBack();
  const opened = await open(true);
  expect(await inactive(opened)).toEqual(["deleted", "left"]);
  expect(await sinceOf("kept")).toBe(before.kept);
  expect(await sinceOf("again")).not.toBe(before.again);
  const keys = await opened.directory.credentials.list("keys", { amount: 10 });
  expect(keys.results.map((key) => key.access_key_id)).toEqual(["K2", "K3"]);
  expect(await checkConsistency(opened.store)).toEqual([]);
});

it("has no secret, is for its owner only, and keeps the newest of each thing", async () => {
  await people();
  await revokeAll();
  await data!.close();
  data = undefined;
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const text = readFileSync(file(), "utf8");
  expect(text).not.toMatch(/secret/);
  const opened = await open();
  const provisioned = opened.directory.provisioning(() => false);
  const { id } = (await provisioned.findUser({ username: "left" }))!;
  await provisioned.changeUser(id, (user) => ({ ...user, inactive: false }));
  const putBack = await copyOf();
  await (await open()).directory.users.create({ username: "later" });
  await putBack();
  expect(await inactive(await open())).toEqual([]);
});

it("has what a power loss took from the file, once the service has started again", async () => {
  await people();
  const putBack = await copyOf();
  await (await open()).close();
  const flushed = readFileSync(file());
  await revokeAll();
  const { provisioning, users } = data!.directory;
  const { id } = (await provisioning(() => false).findUser({ username: "renamed" }))!;
  await provisioning(() => false).changeUser(id, (user) => ({ ...user, username: "renamed now" }));
  await users.delete("renamed now");
  await data!.close();
  data = undefined;
  writeFileSync(file(), flushed);
  await open();
  await putBack();
  const opened = await open();
  expect(await inactive(opened)).toEqual(["again", "deleted", "left", "renamed"]);
  const { credentials, externalPrincipals, tokenClaims } = opened.directory;
  for (const key of ["K1", "K2"]) {
    await expect(credentials.getWithSecret(key)).rejects.toMatchObject({ code: "not_found" });
  }
  expect((await credentials.getWithSecret("K3")).secret_access_key).toBe("secret of K3");
  await expect(externalPrincipals.get("role/removed")).rejects.toMatchObject({ code: "not_found" });
  await expect(tokenClaims.claim("token-1", inSoon())).rejects.toThrow("claimed already");
});

it("tells nothing where the store is the one that was left, also after a line that a crash cut", async () => {
  await people();
  await revokeAll();
  await data!.close();
  data = undefined;
  writeFileSync(file(), `${readFileSync(file(), "utf8")}{"p":"key","k":"K`);
  await open();
  await (await open()).directory.users.create({ username: "later" });
  await open();
  expect(readFileSync(logFile(), "utf8")).not.toContain("was put back");
  expect(await inactive(data!)).toEqual(["left"]);
});

it("is put aside where the store is another one, and goes with a store that is emptied", async () => {
  await people();
  await revokeAll();
  await data!.close();
  data = undefined;
  rmSync(store(), { recursive: true });
  await open();
  await data!.directory.users.create({ username: "deleted" });
  expect(await inactive(data!)).toEqual([]);
  await data!.directory.users.delete("deleted");
  await data!.close();
  data = undefined;
  expect(readFileSync(logFile(), "utf8")).toContain("belongs to another store");
  emptyStore(valuesOf());
  expect(() => statSync(file())).toThrow();
});
