/**
 * Large uploads and downloads through a real lakeFS, against its own tool in the same run, and against the AWS tool that
 * `AWS_CLI` names. With `npm run prove` 5 GB in one file and 10 GB in 1,000, or the `TRANSFERS_SHARE` of these sizes; otherwise
 * 50 MB each, where a server is given.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { report, sized } from "../size.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { HAS_TIME, measured } from "./measured-run.ts";
import { clientVariables, KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const MB = 1_000_000;
/** The part of the whole size, where the machine has no room for all of it. */
const SHARE = Number(process.env["TRANSFERS_SHARE"] ?? 1);
const ONE_FILE = sized(50, 5_000 * SHARE) * MB;
/** Never fewer of them: memory grew with their number. */
const FILES = sized(10, 1_000);
const FILE = sized(5, 10 * SHARE) * MB;
const SOURCES = fileURLToPath(new URL("../../../packages/svcctl/bin/svcctl.cjs", import.meta.url));
const BUILT = fileURLToPath(new URL("../../../dist/svcctl/packages/svcctl/bin/svcctl.cjs", import.meta.url));
/** The program that people get, where it is built (`npm run build -- dist/svcctl svcctl`): sources take more memory, for their types. */
const SVCCTL = [process.execPath, existsSync(BUILT) ? BUILT : SOURCES];
const FROM_SOURCES = [process.execPath, SOURCES];
const MOST_MEGABYTES = 200;

const given = HAS_TIME ? givenDataServer() : undefined;

/** The tools, each with what it moves: `from` and `to` are files, folders, or paths below `main`. */
type Tool = "svcctl" | "lakectl" | "aws";
const AWS = process.env["AWS_CLI"];
const TOOLS: readonly Tool[] = ["lakectl", "svcctl", ...(AWS === undefined ? [] : ["aws" as const])];

const { bavail, bsize } = statfsSync(tmpdir());

/** Is there room for the files, the server's copies from the tools, and one download at a time? Each test has a server of its own. */
const hasRoom = (bytes: number) => bavail * bsize > (TOOLS.length + 2) * bytes * 1.2;

describe.skipIf(given === undefined)("data server: large transfers", () => {
  let server: RunningDataServer;
  let env: Record<string, string | undefined>;
  let folder: string;
  let down: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    down = join(folder, "down");
    server = await RunningDataServer.start(given as GivenDataServer);
    env = {
      PATH: process.env["PATH"],
      HOME: folder,
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_DEFAULT_REGION: "us-east-1",
      ...clientVariables("SVCCTL", server.url),
      ...clientVariables("LAKECTL", server.url),
    };
    await ran([...SVCCTL, "repo", "create", "svc://large", "local://large"]);
  });

  afterEach(async () => {
    await server?.close();
  });

  async function ran(command: readonly string[]) {
    const before = server.cpuSeconds;
    const result = await measured(command, env, folder);
    expect(result, result.output).toMatchObject({ code: 0 });
    return { ...result, serverSeconds: server.cpuSeconds - before };
  }

  /** A download whose content is compared afterwards. */
  async function ranFromSources(kind: "one" | "many") {
    const { megabytes } = await ran(download("svcctl", kind, FROM_SOURCES));
    report(`download again, svcctl from its sources: ${megabytes} MB of memory`);
  }

  function upload(tool: Tool, kind: "one" | "many"): string[] {
    const [path, isOne] = [`large/main/${tool}/${kind}/`, kind === "one"];
    const from = isOne ? join(folder, "one", "file") : `${join(folder, "many")}/`;
    if (tool === "aws") return aws(isOne, from, `s3://${path}${isOne ? "file" : ""}`);
    const to = isOne ? [`${path}file`] : ["--recursive", "--no-progress", path];
    return own(tool, "upload", SVCCTL, "--source", from, ...to);
  }

  function download(tool: Tool, kind: "one" | "many", program = SVCCTL): string[] {
    const [path, isOne] = [`large/main/${tool}/${kind}/`, kind === "one"];
    const to = isOne ? join(down, "file") : down;
    if (tool === "aws") return aws(isOne, `s3://${path}${isOne ? "file" : ""}`, to);
    const from = isOne ? [`${path}file`] : ["--recursive", "--no-progress", path];
    return own(tool, "download", program, ...from, to);
  }

  function own(tool: "svcctl" | "lakectl", verb: string, svcctl: string[], ...args: string[]): string[] {
    const [program, scheme] =
      tool === "svcctl" ? [svcctl, "svc://"] : [[(given as GivenDataServer).tool], "lakefs://"];
    return [...program, "fs", verb, ...args.map((arg) => arg.replace(/^large\//, `${scheme}large/`))];
  }

  function aws(isOne: boolean, from: string, to: string): string[] {
    const how = ["--only-show-errors", ...(isOne ? [] : ["--recursive"])];
    return [AWS ?? "aws", "--endpoint-url", server.url, "s3", "cp", ...how, from, to];
  }

  /** Runs all tools, and says how they did. The rates are told, not asserted: other work shares the machine. */
  async function compared(what: string, bytes: number, commandOf: (tool: Tool) => string[]) {
    const rates = new Map<Tool, { rate: number; perCpu: number }>();
    for (const tool of TOOLS) {
      rmSync(down, { recursive: true, force: true });
      mkdirSync(down);
      const { seconds, cpuSeconds, serverSeconds, megabytes, anonymous } = await ran(commandOf(tool));
      const rate = bytes / MB / seconds;
      rates.set(tool, { rate, perCpu: bytes / MB / (cpuSeconds + serverSeconds) });
      report(
        `${what}, ${tool}${tool === "svcctl" && SVCCTL[1] === BUILT ? " as published" : ""}: ${Math.round(rate)} MB/s; CPU ${cpuSeconds.toFixed(1)} s, server ${serverSeconds.toFixed(1)} s; ${megabytes} MB of memory, ${anonymous} MB of it anonymous`,
      );
      if (tool === "svcctl") expect(megabytes).toBeLessThan(MOST_MEGABYTES);
    }
    const ours = rates.get("svcctl") ?? { rate: 0, perCpu: 0 };
    for (const [tool, { rate, perCpu }] of rates) {
      if (tool === "svcctl") continue;
      const [share, shareOfCpu] = [ours.rate / rate, ours.perCpu / perCpu];
      report(
        `${what}: ${share.toFixed(2)} of the rate of ${tool}, ${shareOfCpu.toFixed(2)} for each CPU second`,
      );
    }
  }

  it.skipIf(!hasRoom(ONE_FILE))(
    `${ONE_FILE / MB} MB in one file, up and down, arrive whole in less than ${MOST_MEGABYTES} MB of memory`,
    async () => {
      mkdirSync(join(folder, "one"));
      await fill(join(folder, "one", "file"), ONE_FILE);
      await compared("upload of one file", ONE_FILE, (tool) => upload(tool, "one"));
      await compared("download of one file", ONE_FILE, (tool) => download(tool, "one"));
      await ranFromSources("one");
      expect(await md5(join(down, "file"))).toBe(await md5(join(folder, "one", "file")));
    },
    1_800_000,
  );

  it.skipIf(!hasRoom(FILES * FILE))(
    `${FILES} files of ${FILE / MB} MB, up and down, arrive whole in less than ${MOST_MEGABYTES} MB of memory`,
    async () => {
      const source = join(folder, "many");
      mkdirSync(source);
      for (let index = 0; index < FILES; index += 1) await fill(join(source, `file-${index}`), FILE);
      await compared("upload of many files", FILES * FILE, (tool) => upload(tool, "many"));
      await compared("download of many files", FILES * FILE, (tool) => download(tool, "many"));
      rmSync(down, { recursive: true, force: true });
      await ranFromSources("many");
      expect(readdirSync(down)).toHaveLength(FILES);
      for (const name of readdirSync(down).slice(0, 20)) {
        expect(await md5(join(down, name))).toBe(await md5(join(source, name)));
      }
    },
    1_800_000,
  );
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
