/** `svc-authorizer backup`, and what reads a local store while the service runs. */

import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type DataParts, openData, openLog } from "../../src/compose/data.ts";
import { configFromObject } from "../../src/config/load.ts";
import { cleanUp, start, writeConfig } from "../end-to-end/program.ts";
import { runCommand, storeItems } from "./command-kit.ts";
import { newFolder, removeFolders } from "./kit.ts";

const SECRET = "0123456789abcdef0123456789abcdef-key";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => {
  cleanUp();
  removeFolders();
});

const items = () => storeItems(folder, SECRET);
const command = (...args: string[]) => runCommand(args, items());
const file = (name: string) => join(folder, name);

async function onData(work: (data: DataParts) => Promise<void>): Promise<void> {
  const { values } = configFromObject(items());
  const data = await openData(values, openLog(values));
  await work(data);
  await data.close();
}

const fill = () =>
  onData(async ({ directory }) => {
    const users = Array.from({ length: 1_500 }, (_, index) => ({
      op: "put_user" as const,
      user: { username: `user-${index}`, friendly_name: "f".repeat(index % 200) },
    }));
    await directory.batches.apply([...users, { op: "put_group", name: "Admins" }], { managed: false });
    for (const id of ["K1", "K2"]) {
      await directory.credentials.create("user-1", {
        access_key_id: id,
        secret_access_key: `secret of ${id}`,
      });
    }
    await directory.groups.addMember("Admins", "user-1");
  });

const revoke = () =>
  onData(async ({ directory }) => {
    await directory.credentials.delete("user-1", "K1");
    await directory.users.delete("user-7");
    await directory.users.create({ username: "since" });
  });

it("writes the state of a store whose service runs; check-store, export and history read it, too", async () => {
  await fill();
  const config = writeConfig(folder, {
    ...items(),
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
  });
  const service = await start(["--config", config], folder);
  const backup = await command("backup", file("b.ndjson"), "--json");
  expect(backup).toMatchObject({ code: 0, stderr: "" });
  const { revision, records, resumed } = JSON.parse(backup.stdout);
  expect([revision > 3, records > 1_500, resumed]).toEqual([true, true, false]);
  expect(statSync(file("b.ndjson")).mode & 0o777).toBe(0o600);
  expect(readFileSync(file("b.ndjson"), "utf8")).not.toContain("secret of");
  expect(await command("check-store")).toMatchObject({ code: 0, stdout: "the store is sound\n" });
  expect((await command("export", "--format", "json")).stdout).toContain("user-1499");
  expect((await command("history")).stdout).toContain("can be read");
  expect((await command("load", file("none.yaml"))).code).not.toBe(0);
  const restored = await command("restore", "--from", file("b.ndjson"));
  expect(restored.code).toBe(1);
  expect(restored.stderr).toContain("in use by");
  await service.end();
  expect(await command("check-store", "--backup", file("b.ndjson"))).toMatchObject({
    code: 0,
    stdout: "the store is sound\n",
  });
});

it("goes on with an interrupted backup, of the same state, though others wrote since", async () => {
  await fill();
  expect((await command("backup", file("whole"))).code).toBe(0);
  const whole = readFileSync(file("whole"));
  await revoke();
  for (const part of [0.0001, 0.4, 0.99]) {
    writeFileSync(`${file("again")}.part`, whole.subarray(0, Math.floor(whole.length * part)));
    const { stdout } = await command("backup", file("again"), "--json");
    const { resumed, revision } = JSON.parse(stdout);
    const again = readFileSync(file("again"));
    if (resumed) expect(again.equals(whole)).toBe(true);
    else expect(revision).toBeGreaterThan(JSON.parse(whole.toString().split("\n")[0]!).revision);
    expect(resumed).toBe(part > 0.01);
    expect(existsSync(`${file("again")}.part`)).toBe(false);
    expect(await command("backup", file("again"))).toMatchObject({ code: 2 });
    expect((await command("check-store", "--backup", file("again"))).code).toBe(0);
    rmSync(file("again"));
  }
});

it("is refused where it is cut or a byte of it is another, and changes nothing then", async () => {
  await fill();
  await command("backup", file("whole"));
  const whole = readFileSync(file("whole"));
  const before = await command("export", "--format", "json");
  const faulty = [0.2, 0.5, 0.8].map((part) => {
    const bytes = Buffer.from(whole);
    bytes[Math.floor(bytes.length * part)]! ^= 1;
    return bytes;
  });
  for (const bytes of [
    ...faulty,
    whole.subarray(0, whole.length - 40),
    Buffer.from("{}\n"),
    Buffer.alloc(0),
  ]) {
    writeFileSync(file("faulty"), bytes);
    for (const args of [
      ["check-store", "--backup"],
      ["restore", "--from"],
    ]) {
      const { code, stderr } = await command(...args, file("faulty"));
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/is no (whole )?backup of a store/);
    }
  }
  expect((await command("export", "--format", "json")).stdout).toBe(before.stdout);
});

it("a restored backup keeps what was revoked since, unless that is to be forgotten", async () => {
  await fill();
  await command("backup", file("b"));
  await revoke();
  const kept = await command("restore", "--from", file("b"));
  expect(kept).toMatchObject({ code: 0 });
  expect(kept.stdout).toMatch(
    /stays revoked: 1 access keys, 0 external principals, 1 users \(inactive\); sessions of \d+ users end/,
  );
  expect(kept.stdout).toMatch(/store that was in its place \(revision \d+\) is kept in /);
  await onData(async ({ directory }) => {
    await expect(directory.credentials.getWithSecret("K1")).rejects.toMatchObject({ code: "not_found" });
    expect((await directory.credentials.getWithSecret("K2")).secret_access_key).toBe("secret of K2");
    const { users } = await directory.batches.state({ secrets: false });
    expect(users.get("user-7")?.user.value.inactive).toBe(true);
    expect(users.has("since")).toBe(false);
  });
  const forgotten = await command("restore", "--from", file("b"), "--forget-revocations");
  expect(forgotten.stdout).toContain('user "user-7": was revoked since, and is in force again');
  await onData(async ({ directory }) => {
    const { users } = await directory.batches.state({ secrets: false });
    expect(users.get("user-7")?.user.value.inactive).toBeUndefined();
    expect((await directory.credentials.getWithSecret("K1")).secret_access_key).toBe("secret of K1");
  });
  expect((await command("check-store")).code).toBe(0);
});

it("what a restored backup knows as revoked stays so, whatever was forgotten then", async () => {
  await fill();
  cpSync(join(folder, "svc-authorizer"), file("copy"), { recursive: true });
  await onData(async ({ directory }) => {
    await directory.credentials.delete("user-1", "K1");
    await directory.users.update("user-8", { inactive: true });
    await directory.users.update("user-9", { inactive: true });
  });
  await command("backup", file("b"));
  await onData(async ({ directory }) => {
    await directory.credentials.delete("user-1", "K2");
    await directory.users.delete("user-7");
    await directory.users.delete("user-8");
    await directory.users.update("user-9", { inactive: false });
  });
  await command("restore", "--from", file("b"), "--forget-revocations");
  rmSync(join(folder, "svc-authorizer"), { recursive: true });
  cpSync(file("copy"), join(folder, "svc-authorizer"), { recursive: true });
  await onData(async ({ directory }) => {
    const { users } = await directory.batches.state({ secrets: false });
    const inactive = [...users].filter(([, { user }]) => user.value.inactive === true).map(([name]) => name);
    expect(inactive).toEqual(["user-8", "user-9"]);
    await expect(directory.credentials.getWithSecret("K1")).rejects.toMatchObject({ code: "not_found" });
    expect((await directory.credentials.getWithSecret("K2")).secret_access_key).toBe("secret of K2");
  });
});

it("a backup takes the place of a damaged store", async () => {
  await fill();
  await command("backup", file("b"));
  await onData(async ({ directory }) => directory.credentials.delete("user-1", "K1"));
  writeFileSync(join(folder, "svc-authorizer", "data.mdb"), "");
  expect((await command("check-store")).stderr).toContain("data.mdb is empty");
  const restored = await command("restore", "--from", file("b"));
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("cannot be read")]);
  await onData(async ({ directory }) => {
    await expect(directory.credentials.getWithSecret("K1")).rejects.toMatchObject({ code: "not_found" });
  });
});
