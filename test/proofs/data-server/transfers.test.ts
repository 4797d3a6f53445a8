/**
 * Large uploads and downloads through a real lakeFS, against its own tool in the same run. With `npm run prove` 5 GB in
 * one file and 10 GB in 1,000; otherwise 50 MB each, where a lakeFS was built before.
 */
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole, report, sized } from "../size.ts";
import { type BuiltDataServer, builtDataServer } from "./build-data-server.ts";
import { HAS_TIME, measured } from "./measured-run.ts";
import { clientVariables, KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const MB = 1_000_000;
const ONE_FILE = sized(50, 5_000) * MB;
const FILES = sized(10, 1_000);
const FILE = sized(5, 10) * MB;
const SVCCTL = [process.execPath, fileURLToPath(new URL("../../../bin/svcctl.cjs", import.meta.url))];
const MOST_MEGABYTES = 200;

/** The sources, the server's copies of both tools, and one download at a time. */
const NEEDED = 3 * (ONE_FILE + FILES * FILE) + ONE_FILE + FILES * FILE;

const built = HAS_TIME ? builtDataServer() : undefined;
const { bavail, bsize } = statfsSync(tmpdir());
const hasRoom = bavail * bsize > NEEDED * 1.2;

describe.skipIf(built === undefined || !hasRoom)("data server: large transfers", () => {
  let server: RunningDataServer;
  let env: Record<string, string | undefined>;
  const folder = mkdtempSync(join(tmpdir(), "large-transfers-"));

  beforeAll(async () => {
    server = await RunningDataServer.start(built as BuiltDataServer);
    env = {
      PATH: process.env["PATH"],
      HOME: folder,
      ...clientVariables("SVCCTL", server.url),
      ...clientVariables("LAKECTL", server.url),
    };
    await fill(join(folder, "one"), ONE_FILE);
    mkdirSync(join(folder, "many"));
    for (let index = 0; index < FILES; index += 1) await fill(join(folder, "many", `file-${index}`), FILE);
    await ran("svcctl", "repo", "create", "svc://large", "local://large");
  }, 600_000);

  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ran(tool: "svcctl" | "lakectl", ...args: string[]) {
    const program = tool === "svcctl" ? SVCCTL : [(built as BuiltDataServer).tool];
    const own = args.map((arg) => (tool === "svcctl" ? arg : arg.replace("svc://", "lakefs://")));
    const before = server.cpuSeconds;
    const result = await measured([...program, ...own], env, folder);
    expect(result, result.output).toMatchObject({ code: 0 });
    return { ...result, serverSeconds: server.cpuSeconds - before };
  }

  /** Runs both tools, and says how they did. The rate is told, not asserted: other work shares the machine. */
  async function compared(what: string, bytes: number, argsOf: (tool: "svcctl" | "lakectl") => string[]) {
    for (const tool of ["svcctl", "lakectl"] as const) {
      const { seconds, cpuSeconds, serverSeconds, megabytes } = await ran(tool, ...argsOf(tool));
      const rate = Math.round(bytes / MB / seconds);
      report(
        `${what} with ${tool}: ${rate} MB/s; CPU ${cpuSeconds.toFixed(1)} s, server ${serverSeconds} s; ${megabytes} MB of memory`,
      );
      if (tool === "svcctl") expect(megabytes).toBeLessThan(MOST_MEGABYTES);
    }
  }

  it(`${ONE_FILE / MB} MB in one file, up and down, arrive whole in less than ${MOST_MEGABYTES} MB of memory`, async () => {
    const source = join(folder, "one");
    await compared("upload of one file", ONE_FILE, (tool) => [
      "fs",
      "upload",
      `svc://large/main/${tool}/one`,
      "-s",
      source,
    ]);
    await compared("download of one file", ONE_FILE, (tool) => {
      rmSync(join(folder, "down"), { force: true });
      return ["fs", "download", `svc://large/main/${tool}/one`, join(folder, "down")];
    });
    await ran("svcctl", "fs", "download", "svc://large/main/svcctl/one", join(folder, "down"));
    expect(await md5(join(folder, "down"))).toBe(await md5(source));
    rmSync(join(folder, "down"));
  }, 900_000);

  it(`${FILES} files of ${FILE / MB} MB, up and down, arrive whole in less than ${MOST_MEGABYTES} MB of memory`, async () => {
    const source = join(folder, "many");
    const down = join(folder, "downs");
    await compared("upload of many files", FILES * FILE, (tool) => [
      "fs",
      "upload",
      "-r",
      `svc://large/main/${tool}/many/`,
      "-s",
      `${source}/`,
    ]);
    await compared("download of many files", FILES * FILE, (tool) => {
      rmSync(down, { recursive: true, force: true });
      mkdirSync(down);
      return ["fs", "download", "-r", `svc://large/main/${tool}/many/`, down];
    });
    rmSync(down, { recursive: true, force: true });
    await ran("svcctl", "fs", "download", "-r", "svc://large/main/svcctl/many/", down);
    expect(readdirSync(down)).toHaveLength(FILES);
    for (const name of readdirSync(down).slice(0, 20)) {
      expect(await md5(join(down, name))).toBe(await md5(join(source, name)));
    }
    const aws = process.env["AWS_CLI"];
    if (!isWhole || aws === undefined) return;
    rmSync(down, { recursive: true, force: true });
    const keys = { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET, AWS_DEFAULT_REGION: "us-east-1" };
    const args = ["--endpoint-url", server.url, "s3", "cp", "--recursive", "--only-show-errors"];
    const { seconds, cpuSeconds, code } = await measured(
      [aws, ...args, "s3://large/main/svcctl/many/", down],
      { ...env, ...keys },
      folder,
    );
    report(
      `download of many files with aws s3 cp (exit ${code}): ${Math.round((FILES * FILE) / MB / seconds)} MB/s; CPU ${cpuSeconds} s`,
    );
  }, 1_800_000);
});

/** A file of bytes that no compression shortens. */
async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  const random = createReadStream("/dev/urandom", { end: bytes - 1, highWaterMark: MB });
  await pipeline(random, file.createWriteStream());
}

async function md5(path: string): Promise<string> {
  const hash = createHash("md5");
  await pipeline(createReadStream(path, { highWaterMark: MB }), hash);
  return hash.digest("hex");
}
