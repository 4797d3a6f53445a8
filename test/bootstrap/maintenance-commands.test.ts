import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { configFromObject } from "../../src/config/load.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { MAIN } from "../end-to-end/program.ts";
import { cpuSecondsOf } from "../proofs/cpu-seconds.ts";
import { runCommand, storeItems } from "./command-kit.ts";
import { newFolder, removeFolders } from "./kit.ts";

const OLD = "0123456789abcdef0123456789abcdef-old";
const NEW = "0123456789abcdef0123456789abcdef-new";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(removeFolders);

const itemsOf = (secretKey = OLD) => storeItems(folder, secretKey);
const command = (args: readonly string[], secretKey = OLD, env: Record<string, string> = {}) =>
  runCommand(args, itemsOf(secretKey), env);

async function fill(keys = 3): Promise<void> {
  const { values } = configFromObject(itemsOf());
  const data = await openData(values, openLog(values));
  await data.directory.batches.apply(
    [
      { op: "put_user", user: { username: "alice" } },
      { op: "put_group", name: "G" },
      ...Array.from({ length: keys }, (_, index) => ({
        op: "put_credential" as const,
        username: "alice",
        access_key_id: `K${index}`,
        secret_access_key: `secret ${index}`,
      })),
    ],
    { managed: false },
  );
  await data.close();
}

async function rawStore() {
  return openLocalStore({ path: join(folder, "svc-authorizer"), syncWrites: false });
}

describe("reset", () => {
  it("says what would be lost and changes nothing without --yes", async () => {
    await fill();
    const { code, stderr } = await command(["reset"]);
    expect(code).toBe(2);
    expect(stderr).toContain("1 users, 1 groups, 0 policies, 3 access keys would be lost");
    expect((await command(["export", "--format", "json"])).stdout).toContain("alice");
  });

  it("empties the store with --yes, whatever the secret key, so that a new key can be used", async () => {
    await fill();
    expect(await command(["reset", "--yes"], NEW)).toMatchObject({ code: 0 });
    const { code, stdout } = await command(["export", "--format", "json"], NEW);
    expect(code).toBe(0);
    expect(stdout).not.toContain("alice");
  });

  it("leaves a store alone that is in use, and says by whom", async () => {
    await fill();
    const store = await rawStore();
    const { code, stderr } = await command(["reset", "--yes"]);
    await store.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`process (${process.pid})`);
    expect((await command(["export", "--format", "json"])).stdout).toContain("alice");
  });

  it("has nothing to do without a store", async () => {
    expect(await command(["reset", "--yes"])).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, "svc-authorizer"))).toBe(false);
  });
});

describe("check-store", () => {
  it("answers 0 for a sound store and writes nothing into it", async () => {
    await fill();
    const file = join(folder, "svc-authorizer", "data.mdb");
    const before = readFileSync(file);
    expect(await command(["check-store"])).toMatchObject({ code: 0, stdout: "the store is sound\n" });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("answers 1 and names what it found, as text and as JSON", async () => {
    await fill();
    const store = await rawStore();
    await store.commit({ delete: [{ partition: "user", key: "alice" }] });
    await store.close();
    const text = await command(["check-store"]);
    expect(text.code).toBe(1);
    expect(text.stdout).toContain('orphan: key "K0": refers to ');
    const json = await command(["check-store", "--json"]);
    const { sound, findings } = JSON.parse(json.stdout);
    expect({ code: json.code, sound, found: findings.length > 2 }).toEqual({
      code: 1,
      sound: false,
      found: true,
    });
  });

  it("makes no store where there is none", async () => {
    const { code, stderr } = await command(["check-store"]);
    expect(code).toBe(2);
    expect(stderr).toContain("there is no store in");
    expect(existsSync(join(folder, "svc-authorizer"))).toBe(false);
  });
});

describe("rotate-key", () => {
  const args = ["rotate-key", "--from-env", "OLD", "--to-env", "NEW"];

  it("changes the key: the store opens with the new one only", async () => {
    await fill();
    const audit = join(folder, "audit.log");
    const { code, stdout, stderr } = await command(args, OLD, { OLD, NEW });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("3 secrets encrypted anew, 3 verified"),
    });
    expect(stdout + stderr).not.toContain(NEW);
    expect(readFileSync(audit, "utf8")).toContain('"event":"key_rotation"');
    expect(readFileSync(audit, "utf8")).not.toContain(NEW);
    expect((await command(["export", "--secrets"], OLD)).code).toBe(2);
    expect((await command(["export", "--secrets"], NEW)).stdout).toContain("secret 2");
    expect((await command(args, NEW, { OLD, NEW })).stdout).toContain("nothing to do");
  });

  it("wants both variables and a strong new key", async () => {
    await fill();
    expect(await command(args, OLD, { OLD })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("NEW"),
    });
    expect(await command(args, OLD, { OLD, NEW: "short" })).toMatchObject({ code: 2 });
    expect((await command(["check-store"])).code).toBe(0);
  });

  it("can be killed at any moment and run again", async () => {
    await fill(2_000);
    const set = Object.entries(itemsOf()).flatMap(([item, value]) => ["--set", `${item}=${value}`]);
    let killed = 0;
    // By what it has done, which the load of the machine does not change.
    for (let cpu = 0.2; cpu < 20; cpu += 0.1) {
      const child = spawn(process.execPath, [MAIN, ...args, ...set], { env: { ...process.env, OLD, NEW } });
      const ended = new Promise((resolve) => child.on("exit", (_, by) => resolve(by)));
      const watch = setInterval(() => {
        if (child.exitCode === null && cpuSecondsOf(child) >= cpu) child.kill("SIGKILL");
      }, 5);
      const signal = await ended;
      clearInterval(watch);
      if (signal === null) break;
      killed += 1;
    }
    expect(killed).toBeGreaterThan(0);
    expect((await command(["check-store"], NEW)).stdout).toBe("the store is sound\n");
    expect((await command(["export", "--secrets"], OLD)).code).toBe(2);
    expect(statSync(join(folder, "svc-authorizer", "data.mdb")).size).toBeGreaterThan(0);
  });
});
