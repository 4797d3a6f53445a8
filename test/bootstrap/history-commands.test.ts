/** `svc-authorizer history`, `export --at` and `restore` on a local store. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openData, openLog } from "../../src/compose/data.ts";
import { configFromObject } from "../../src/config/load.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { runCommand, storeItems } from "./command-kit.ts";
import { newFolder, removeFolders } from "./kit.ts";

const KEY = "0123456789abcdef0123456789abcdef-key";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(removeFolders);

const command = (...args: readonly string[]) => runCommand(args, storeItems(folder, KEY));

/** Works on the directory; gives the newest revision. */
async function during(work: (directory: OpenedDirectory) => Promise<unknown>): Promise<number> {
  const { values } = configFromObject(storeItems(folder, KEY));
  const data = await openData(values, openLog(values));
  await data.directory.actingFor({ name: "é" }, () => work(data.directory));
  const { revision } = data.store.history.head;
  await data.close();
  return revision;
}

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await command(...args, "--json");
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
  return JSON.parse(stdout);
}

describe("history", () => {
  it("lists entries with who asked and what they touched, oldest first", async () => {
    await during(({ users }) => users.create({ username: "alice" }));
    const newest = await during(({ groups }) => groups.create({ name: "G" }));
    const { entries, kept_from, newest: told } = await json("history");
    expect([kept_from, told]).toEqual([0, newest]);
    expect(entries.map((entry: { revision: number }) => entry.revision)).toEqual(
      Array.from({ length: newest }, (_, index) => index + 1),
    );
    expect(entries.at(-1)).toMatchObject({ actors: ["é"], change: { groups: ["G"] } });
    expect(entries.at(-1).at).toMatch(/^20\d\d-.*Z$/);
    const part = await json("history", "--after", String(newest - 2), "--limit", "1");
    expect(part.entries).toEqual([entries.at(-2)]);
    const { stdout } = await command("history", "--limit", "1");
    const [line, last] = stdout.split("\n");
    expect(line).toBe(`${newest}  ${entries.at(-1).at}  "é"  groups "G"`);
    expect(last).toBe(`1 entries; states of revisions 0 to ${newest} can be read`);
  });

  it.each([
    [["--limit", "0"], "--limit"],
    [["--after", "-1"], "--after"],
  ])("refuses %j", async (args, text) => {
    await during(({ users }) => users.create({ username: "alice" }));
    const { code, stderr } = await command("history", ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it("says that there is no store, and makes none", async () => {
    const { code, stderr } = await command("history");
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no store")]);
  });
});

describe("an earlier state", () => {
  it("is exported and restored by revision and by time", async () => {
    const then = await during(({ users }) => users.create({ username: "alice" }));
    const { entries } = await json("history");
    const { at } = entries.at(-1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await during(({ users }) => users.delete("alice"));
    await during(({ users }) => users.create({ username: "bob" }));
    for (const when of [String(then), at]) {
      const { stdout } = await command("export", "--at", when, "--format", "json");
      expect(JSON.parse(stdout).users).toMatchObject([{ username: "alice" }]);
    }
    const changes = [
      { change: "remove", kind: "user", name: "bob" },
      { change: "create", kind: "user", name: "alice" },
    ];
    expect(await json("restore", "--at", at, "--dry-run")).toMatchObject({ dry_run: true, changes });
    expect((await command("export", "--format", "json")).stdout).toContain("bob");
    const { code, stdout } = await command("restore", "--at", String(then));
    expect(code).toBe(0);
    expect(stdout).toBe(
      `- user "bob"\n+ user "alice"\ndeleted user "alice": comes back inactive (--forget-revocations: active)\nrestore of revision ${then}: 1 created, 0 replaced, 1 removed; sessions of 2 users end; done\n`,
    );
    const exported = (await command("export", "--format", "json")).stdout;
    expect(exported).toContain("alice");
    expect(exported).not.toContain("bob");
    const newest = (await json("history")).entries.findLast(
      ({ actors }: { actors: string[] }) => actors.length > 0,
    );
    expect(newest).toMatchObject({ actors: ["command line"], change: { users: ["bob", "alice"] } });
    expect((await command("check-store")).code).toBe(0);
  });

  it.each(["yesterday", "2026-13-01T00:00:00Z", "2026-11-22T08:00", "-1", "1e3"])(
    "is no revision and no time: %s",
    async (at) => {
      await during(({ users }) => users.create({ username: "alice" }));
      const { code, stderr } = await command("export", `--at=${at}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining("expected a revision such as 1200")]);
    },
  );

  it.each(["99999", "2000-01-01T00:00:00Z"])("is not kept: %s", async (at) => {
    await during(({ users }) => users.create({ username: "alice" }));
    for (const name of ["export", "restore"]) {
      const { code, stderr } = await command(name, "--at", at);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be read|is not kept/)]);
    }
  });
});

describe("journal copy", () => {
  it("copies a store with secrets and history into another folder, and refuses to do it twice", async () => {
    await during(async ({ users, credentials }) => {
      await users.create({ username: "alice" });
      await credentials.create("alice", { access_key_id: "K", secret_access_key: "the secret" });
    });
    const target = join(folder, "copy");
    const file = join(folder, "to.yaml");
    writeFileSync(file, `database: {type: local, local: {path: ${JSON.stringify(target)}}}\n`);
    const report = await json("journal", "copy", "--to", file);
    expect(report).toMatchObject({ from: 0, entries: report.to });
    const ofCopy = (...args: readonly string[]) => runCommand(args, storeItems(target, KEY));
    expect((await ofCopy("history", "--json")).stdout).toBe((await command("history", "--json")).stdout);
    expect((await ofCopy("export", "--secrets")).stdout).toContain("the secret");
    expect((await ofCopy("check-store")).code).toBe(0);
    const { code, stderr } = await command("journal", "copy", "--to", file);
    expect([code, stderr]).toEqual([2, expect.stringContaining("has a log already")]);
  });
});
