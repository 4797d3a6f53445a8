/** svcctl as a process of its own. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { replay } from "./replay-server.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PROGRAM = join(ROOT, "packages", "svcctl", "bin", "svcctl.cjs");
const USERS = { status: 200, body: { results: [{ id: "bob", creation_date: 1682935200 }], pagination: {} } };

/** Runs a program without blocking this process, which may be serving it. */
async function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(program, args, {
    env: { HOME: temporaryFolder(), PATH: process.env["PATH"], TZ: "UTC", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

/** Files below the root that a command line loads, without ending. */
async function loadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const hooks = pathToFileURL(join(import.meta.dirname, "loaded-modules.mjs")).href;
  const { stderr } = await run(process.execPath, ["--import", hooks, PROGRAM, ...args], env);
  const urls: string[] = JSON.parse(stderr.trim().split("\n").at(-1) ?? "[]");
  const root = pathToFileURL(ROOT).href;
  return urls.filter((url) => url.startsWith(root)).map((url) => url.slice(root.length + 1));
}

const packagesOf = (files: readonly string[]) => [
  ...new Set(files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])),
];

describe("svcctl as a process", () => {
  it("prints a grid on a real terminal and rows into a pipe", async () => {
    const { env } = await replay([USERS]);
    const piped = await run(process.execPath, [PROGRAM, "auth", "users", "list"], env);
    expect(piped).toEqual({ code: 0, stdout: "bob\tbob\t2023-05-01 10:00:00 +0000 UTC\n\n", stderr: "" });
  });

  it.skipIf(spawnSync("script", ["--version"]).status !== 0)("knows a real terminal", async () => {
    const { env } = await replay([USERS]);
    const line = `'${process.execPath}' '${PROGRAM}' auth users list`;
    const { code, stdout } = await run("script", ["-qec", line, "/dev/null"], env);
    expect(code).toBe(0);
    expect(stdout.replaceAll("\r\n", "\n")).toBe(
      [
        "+-----+------+-------------------------------+",
        "| ID  | USER | CREATION DATE                 |",
        "+-----+------+-------------------------------+",
        "| bob | bob  | 2023-05-01 10:00:00 +0000 UTC |",
        "+-----+------+-------------------------------+",
        "",
        "",
      ].join("\n"),
    );
  });

  it("ends with the exit code of its command", async () => {
    const { env } = await replay([{ status: 200, body: { allowed: false, effect: "neutral" } }]);
    const can = ["auth", "can", "--user", "u", "--action", "a:b", "--resource", "*"];
    expect((await run(process.execPath, [PROGRAM, ...can], env)).code).toBe(3);
    expect((await run(process.execPath, [PROGRAM, "nonsense"])).code).toBe(1);
    expect((await run(process.execPath, [PROGRAM, "--help"])).code).toBe(0);
  });

  it.skipIf(!existsSync("/dev/full"))("says so when nothing can be written", async () => {
    const { code, stderr } = await run("bash", ["-c", `'${process.execPath}' '${PROGRAM}' docs > /dev/full`]);
    expect(code).toBe(1);
    expect(stderr).toBe("standard output cannot be written (ENOSPC)\nError executing command.\n");
  });

  it("ends quietly when nobody reads on", async () => {
    const line = `'${process.execPath}' '${PROGRAM}' docs | true; exit "\${PIPESTATUS[0]}"`;
    expect(await run("bash", ["-c", line])).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("what is loaded", () => {
  it("for help is commander and descriptions of commands, none of the commands", async () => {
    const files = await loadedBy(["--help"]);
    expect(packagesOf(files)).toEqual(["commander"]);
    const commands =
      /\/svcctl\/(api|output|settings|requests)\/|\/auth\/(?!.*-(group|options|specs)\.)|\/(doctor|version|whoami)\.|(config|docs)-command\./;
    expect(files.filter((file) => commands.test(file))).toEqual([]);
    expect(files).toContain("packages/svcctl/src/auth/users/users-group.ts");
  });

  it("for a list is what prints it, no prompts and no other command", async () => {
    const { env } = await replay([USERS]);
    const files = await loadedBy(["auth", "users", "list"], env);
    expect(packagesOf(files)).toEqual(expect.arrayContaining(["commander", "cli-table3", "p-retry"]));
    expect(packagesOf(files).filter((name) => name.startsWith("@inquirer"))).toEqual([]);
    expect(files).not.toContain("packages/svcctl/src/auth/policies/policies.ts");
    expect(files).not.toContain("packages/svcctl/src/requests/run-change.ts");
  });
});
