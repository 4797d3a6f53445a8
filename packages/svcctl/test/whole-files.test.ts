/** Files that a command replaces, where the disk has no room for the new one. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { svcctl } from "./run-svcctl.ts";

const SVCCTL = resolve("packages/svcctl/bin/svcctl.cjs");

/** A data server that dumps references of so many bytes. */
async function openServer(bytes: number): Promise<string> {
  const server = createServer((request, response) => {
    const answers: Record<string, readonly [number, object]> = {
      POST: [202, { id: "task" }],
      GET: [200, { done: true, refs: { commits_meta_range_id: "x".repeat(bytes) } }],
    };
    const [status, body] = request.url?.includes("/dump")
      ? (answers[request.method ?? ""] ?? [404, {}])
      : [404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs a command that can write files of 1 KiB at most. */
async function onFullDisk(cwd: string, args: readonly string[], endpoint = "http://127.0.0.1:1") {
  const child = spawn("bash", ["-c", 'ulimit -f 1 && exec "$0" "$@"', process.execPath, SVCCTL, ...args], {
    cwd,
    env: {
      HOME: temporaryFolder(),
      PATH: process.env["PATH"] ?? "",
      SVCCTL_SERVER_ENDPOINT_URL: endpoint,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "KEY",
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "SECRET",
    },
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  return { code, stderr };
}

it("the manifest of an earlier dump is kept", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "refs.json"), "earlier\n");
  const dump = ["refs-dump", "svc://repo", "--output", "refs.json"];
  const failed = await onFullDisk(cwd, dump, await openServer(5_000));
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("refs.json")]);
  expect(readFileSync(join(cwd, "refs.json"), "utf8")).toBe("earlier\n");
  expect(readdirSync(cwd)).toEqual(["refs.json"]);

  const done = await onFullDisk(cwd, dump, await openServer(5));
  expect([done.code, done.stderr]).toEqual([0, ""]);
  expect(JSON.parse(readFileSync(join(cwd, "refs.json"), "utf8"))).toEqual({
    commits_meta_range_id: "xxxxx",
  });
});

it("the policy behind a link is formatted, and the link stays", async () => {
  const cwd = temporaryFolder();
  const statement = { resource: "*", action: ["fs:ReadObject"], effect: "allow" };
  writeFileSync(join(cwd, "shared.json"), JSON.stringify({ statement: [statement] }));
  symlinkSync("shared.json", join(cwd, "linked.json"));
  const { code } = await svcctl(["policy", "fmt", "linked.json", "--write"], { cwd });
  expect(code).toBe(0);
  expect(lstatSync(join(cwd, "linked.json")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(cwd, "shared.json"), "utf8")).toContain('"effect": "allow",\n');
  expect(readdirSync(cwd).sort()).toEqual(["linked.json", "shared.json"]);
});
