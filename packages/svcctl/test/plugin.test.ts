/** Commands that the data server's tool has beside its reference: plugins, identity, tasks of garbage collection. */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { painted } from "./painted.ts";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

const PROGRAM = join(import.meta.dirname, "..", "bin", "svcctl.cjs");

function plugin(folder: string, name: string, mode = 0o755): string {
  const file = join(folder, `svcctl-${name}`);
  writeFileSync(file, `#!/bin/sh\necho "${name} got $# $*"\necho "in $(cat)" >&2\nexit 7\n`);
  chmodSync(file, mode);
  return file;
}

const run = (args: readonly string[], path: string, cwd = temporaryFolder()) =>
  spawnSync(process.execPath, [PROGRAM, ...args], {
    env: { HOME: temporaryFolder(), PATH: `${path}${delimiter}${process.env["PATH"]}` },
    cwd,
    encoding: "utf8",
    input: "stdin",
  });

describe("plugins", () => {
  it("an executable in PATH is a command: with its arguments, streams and exit code", () => {
    const folder = temporaryFolder();
    plugin(folder, "hello");
    const { status, stdout, stderr } = run(["hello", "--flag", "a b", "-o"], folder);
    expect({ status, stdout, stderr }).toEqual({
      status: 7,
      stdout: "hello got 3 --flag a b -o\n",
      stderr: "in stdin\n",
    });
  });

  it("commands of svcctl take precedence, and nothing of the working folder runs", () => {
    const folder = temporaryFolder();
    for (const name of ["plugin", "help", "hidden"]) plugin(folder, name);
    expect(run(["plugin", "list"], folder).stdout).toContain("  hidden\n");
    expect(run(["help"], folder).stdout).toContain("Usage: svcctl");
    const here = run(["hidden"], ".", folder);
    expect([here.status, here.stderr]).toEqual([1, expect.stringContaining('unknown command "hidden"')]);
    expect(run([`../../../test/cli/${folder}/hidden`], folder).status).toBe(1);
  });

  it("list names them once, and with --verbose where they are and what is none", async () => {
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    plugin(first, "one");
    const hidden = plugin(second, "one");
    const plain = plugin(second, "two", 0o644);
    mkdirSync(join(second, "svcctl-folder"));
    const env = { PATH: [first, second, "/none"].join(delimiter) };
    const title = "The following svcctl-compatible plugins are available:\n\n";
    expect(await svcctl(["plugin", "list"], { env })).toEqual({
      code: 0,
      stdout: `${title}  one\n`,
      stderr: "",
    });
    const verbose = await svcctl(["plugin", "list", "-v"], { env });
    expect(verbose.stdout).toBe(`${title}  ${join(first, "svcctl-one")}\n`);
    expect(verbose.stderr.split("\n").sort()).toEqual([
      "",
      ...[
        `warning: ${hidden} is hidden by ${join(first, "svcctl-one")}`,
        `warning: ${plain} is not executable`,
      ].sort(),
    ]);
  });
});

it("identity shows the current user", async () => {
  const user = { id: "carol", email: "carol@example.com", creation_date: 1682935200 };
  const { env } = await replay([{ status: 200, body: { user } }]);
  const { stdout } = await svcctl(["identity"], { env: { ...env, TZ: "UTC" }, terminal: true });
  expect(stdout).toContain(painted("User ID:          [yellow:carol]\n"));
  expect(stdout).toMatch(/\nEmail: {12}.*carol@example\.com.*\nCreation Date: {4}2023-05-01 .*\n$/);
});

describe("gc", () => {
  it("prepare-async starts a task, and check-async shows it", async () => {
    const server = await replay([
      { status: 202, body: { id: "task-1" } },
      { status: 200, body: { task_id: "task-1", completed: false, update_time: "2026-11-25T10:00:00Z" } },
      {
        status: 200,
        body: {
          task_id: "task-1",
          completed: true,
          update_time: "2026-11-25T10:00:01Z",
          result: { run_id: "r1", gc_commits_location: "s3://bucket/commits" },
        },
      },
    ]);
    const { env } = server;
    const { stdout } = await svcctl(["gc", "prepare-async", "svc://repo"], { env });
    expect(stdout).toBe(
      "Started prepare GC commits task task-1.\n\nCheck it using\n    svcctl gc check-async svc://repo --id task-1\n",
    );
    const check = () => svcctl(["gc", "check-async", "svc://repo", "--id", "task-1"], { env });
    expect((await check()).stdout).toBe(
      "GC commits task task-1: Running.\n\nLast updated 2026-11-25T10:00:00Z.\n",
    );
    expect((await check()).stdout).toBe(
      "GC commits task task-1: Completed.\nCommits location: s3://bucket/commits\n  Run ID:           r1\n\nLast updated 2026-11-25T10:00:01Z.\n",
    );
    expect(server.asked.map(({ line }) => line)).toEqual([
      "POST /api/v1/repositories/repo/gc/prepare_commits/async",
      "GET /api/v1/repositories/repo/gc/prepare_commits/status?id=task-1",
      "GET /api/v1/repositories/repo/gc/prepare_commits/status?id=task-1",
    ]);
  });

  it("check-async tells of a task that failed", async () => {
    const status = { task_id: "t", completed: true, update_time: "now", error: { message: "no space" } };
    const { env } = await replay([{ status: 200, body: status }]);
    const { stdout } = await svcctl(["gc", "check-async", "svc://repo", "--id", "t"], { env });
    expect(stdout).toContain("Completed. Failed: no space\n");
  });
});
