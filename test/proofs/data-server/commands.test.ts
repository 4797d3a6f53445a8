/**
 * Every command of the reference on a real lakeFS, whose users are those of this service and whose store is the gateway
 * of another lakeFS. With `npm run prove`, where the server is given: prints what was seen.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HIVE_TALKS, playHive } from "../../../packages/svcctl-metastore/test/hive-player.ts";
import { readFixture } from "../../read-fixture.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { isWhole, report } from "../size.ts";
import { type CommandLine, LINES } from "./command-lines.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { clientVariables, KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const SVCCTL = fileURLToPath(new URL("../../../packages/svcctl/bin/svcctl.cjs", import.meta.url));
const ENCRYPTION = "a-key-that-both-servers-of-this-test-have";
const given = isWhole ? givenDataServer() : undefined;

/** The commands of the reference that are a word or more each; the longest first. */
const { commands } = readFixture<{ commands: { command: string }[] }>(
  "conversations/reference-commands.json",
);
const NAMES = commands.map(({ command }) => command).toSorted((a, b) => b.length - a.length);
const nameOf = (line: string): string =>
  NAMES.find((name) => line === name || line.startsWith(`${name} `)) ?? "";

/** Prepared tables of Glue, where a program that stands for Glue is to be had. */
const GLUE = process.env["GLUE_ENDPOINT_URL"];

/** The line that was expected, and how many others there were. */
function seenOf(text: string, expected: RegExp): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const at = expected.exec(text)?.index ?? 0;
  const seen = text.slice(at).trimStart().split("\n")[0] ?? "";
  return `${seen.slice(0, 110)}${lines.length > 1 ? ` (${lines.length} lines)` : ""}`;
}

describe("the command lines", () => {
  it("have every command of the reference", () => {
    const used = new Set(LINES.map(({ line }) => nameOf(line)));
    expect(NAMES.filter((name) => !used.has(name))).toEqual([]);
    expect(used.has("")).toBe(false);
  });
});

/** Makes a table of Glue whose data is in the repository. */
async function prepareGlue(endpoint: string): Promise<void> {
  const { CreateDatabaseCommand, CreateTableCommand, GlueClient } = await import("@aws-sdk/client-glue");
  const credentials = { accessKeyId: KEY, secretAccessKey: SECRET };
  const glue = new GlueClient({ endpoint, region: "us-east-1", credentials });
  for (const Name of ["default", "links"]) {
    await glue.send(new CreateDatabaseCommand({ DatabaseInput: { Name } }));
  }
  const StorageDescriptor = {
    Columns: [{ Name: "x", Type: "int" }],
    Location: "s3a://walk-repo/main/data/",
    SerdeInfo: { Name: "events" },
  };
  const TableInput = { Name: "events", TableType: "EXTERNAL_TABLE", StorageDescriptor };
  await glue.send(new CreateTableCommand({ DatabaseName: "default", TableInput }));
}

describe.skipIf(given === undefined)("data server: every command", () => {
  const folder = temporaryFolder();
  const closing: (() => unknown)[] = [];
  let store: RunningDataServer;
  let server: RunningDataServer;
  let users: TestAuthorizer;
  /** Values of earlier answers and of the surroundings, for `{name}` in the lines. */
  const values: Record<string, string> = {};

  beforeAll(async () => {
    store = await RunningDataServer.start(given as GivenDataServer);
    closing.push(() => store.close());
    const own = (...args: string[]) => svcctl(args, store.url);
    for (const name of ["walk", "outside"]) {
      expect(await own("repo", "create", `svc://${name}`, `local://${name}`)).toMatchObject({ code: 0 });
    }
    for (const name of ["x", "y"]) {
      const uploaded = await own("fs", "upload", `svc://outside/main/raw/${name}`, "-s", SVCCTL);
      expect(uploaded).toMatchObject({ code: 0 });
    }
    expect(await own("commit", "svc://outside/main", "-m", "Raw")).toMatchObject({ code: 0 });
    users = await startAuthorizer({
      config: {
        "authorizer.audit.output": devNull,
        "auth.encrypt.secret_key": ENCRYPTION,
        "authorizer.partition": "lakefs",
      },
    });
    closing.push(() => users.close());
    const storage = { kind: "s3", endpoint: store.url } as const;
    server = await RunningDataServer.start(given as GivenDataServer, storage, true, {
      LAKEFS_AUTH_ENCRYPT_SECRET_KEY: ENCRYPTION,
      LAKEFS_AUTH_UI_CONFIG_RBAC: "internal",
      LAKEFS_AUTH_CACHE_ENABLED: "false",
      LAKEFS_AUTH_API_ENDPOINT: `${users.url}/api/v1`,
      LAKEFS_AUTH_API_TOKEN: users.token,
    });
    closing.push(() => server.close());
    const tables = readdirSync(store.folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.includes("_lakefs"),
    );
    if (GLUE !== undefined) await prepareGlue(GLUE);
    Object.assign(values, {
      namespace: "s3://walk/main",
      outside: "s3://outside/main",
      store: store.url,
      server: server.url,
      access: KEY,
      secret: SECRET,
      table: join(store.folder, tables.find((path) => /[0-9a-f]{64}$/.test(path)) ?? ""),
    });
  });

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  });

  async function svcctl(args: readonly string[], url: string, stdin = "", more: Record<string, string> = {}) {
    const keys = { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: SECRET, AWS_REGION: "us-east-1" };
    const env = {
      PATH: process.env["PATH"],
      HOME: folder,
      TZ: "UTC",
      ...keys,
      ...clientVariables("SVCCTL", url),
    };
    const child = spawn(process.execPath, [SVCCTL, ...args], { cwd: folder, env: { ...env, ...more } });
    child.stdin.end(stdin);
    const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  async function filled(line: string): Promise<string> {
    if (line.includes("{run}")) await findRun();
    return line.replace(/\{(\w+)\}/g, (found, name: string) => values[name] ?? found);
  }

  /** The run of the hook, which ends a little after the commit that it belongs to. */
  async function findRun(): Promise<void> {
    const api = async (path: string) => {
      const authorization = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`;
      const answer = await fetch(`${server.url}/api/v1/repositories/walk-repo/actions/runs${path}`, {
        headers: { authorization },
      });
      return (await answer.json()) as { results: { run_id: string; hook_run_id: string }[] };
    };
    await expect.poll(async () => (await api("")).results.length).toBeGreaterThan(0);
    values["run"] = (await api("")).results[0]?.run_id ?? "";
    values["hook"] = (await api(`/${values["run"]}/hooks`)).results[0]?.hook_run_id ?? "";
  }

  /** Runs a line as it was recorded with a Hive metastore. */
  async function withHive(line: string) {
    const talk = HIVE_TALKS.find(({ args, code }) => code === 0 && args.join(" ") === line);
    const strange: string[] = [];
    const of = (which: string) => (talk?.exchanges ?? []).filter((one) => one.server === which);
    const [first, second] = [await playHive(of("first"), strange), await playHive(of("second"), strange)];
    const placed = line.replace("{first}", first.address).replace("{second}", second.address);
    const settings = { SVCCTL_METASTORE_TYPE: "hive", SVCCTL_METASTORE_HIVE_URI: first.address };
    const ran = await svcctl(placed.split(" "), server.url, "", settings);
    for (const { close } of [first, second]) close();
    expect(strange).toEqual([]);
    return ran;
  }

  async function ranAs(one: CommandLine) {
    for (const [path, content] of Object.entries(one.files ?? {})) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    if (one.needs === "hive") return withHive(one.line);
    const glue = { SVCCTL_METASTORE_TYPE: "glue", SVCCTL_METASTORE_GLUE_ENDPOINT_URL: GLUE ?? "" };
    const settings = one.needs === "glue" ? { ...glue, SVCCTL_METASTORE_GLUE_REGION: "us-east-1" } : {};
    const args = (await filled(one.line)).split(" ");
    return svcctl(args, server.url, await filled(one.stdin ?? ""), settings);
  }

  it("does what it says", async () => {
    const wrong: string[] = [];
    const rows: string[] = [];
    for (const one of LINES) {
      if (one.needs === "glue" && GLUE === undefined) {
        rows.push(
          `${nameOf(one.line)} | - | not run: GLUE_ENDPOINT_URL names no server that stands for Glue`,
        );
        continue;
      }
      const { code, stdout, stderr } = await ranAs(one);
      values["key"] = /Access Key ID: +(\w+)/.exec(stdout)?.[1] ?? values["key"] ?? "";
      const shown = (stdout + stderr).replaceAll(SECRET, "…").replace(/(Secret Access Key: +)\S+/, "$1…");
      rows.push(`${nameOf(one.line)} | ${code} | ${seenOf(shown, one.sees) || "(nothing)"}`);
      if (code === (one.code ?? 0) && one.sees.test(stdout)) continue;
      wrong.push(`${one.line}: exit ${code}, expected ${one.code ?? 0} and ${one.sees}\n${shown}`);
    }
    report(`command | exit code | seen\n${rows.join("\n")}`);
    expect(wrong).toEqual([]);
  }, 900_000);
});
