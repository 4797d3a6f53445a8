/**
 * Records conversations with a real data server into fixtures/conversations/data-server-commands.json, and compares
 * what svcctl prints with what the data server's own tool prints on a second server:
 *
 *   SERVER=http://localhost:18103 OTHER=http://localhost:18104 OTHER_TOOL=/path/to/tool KEY=… SECRET=… \
 *     node packages/svcctl/test/record-conversations.ts
 *
 * Both servers are fresh: repositories have the same names on both.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { runSvcctl } from "@svc-authorizer/svcctl/program.ts";
import {
  type Conversation,
  type Exchange,
  readFiles,
  type Step,
  withoutRandomNames,
  writeFiles,
} from "./conversation.ts";
import { STEPS } from "./conversation-steps.ts";
import { sink } from "./run-svcctl.ts";

const { SERVER = "", OTHER = "", OTHER_TOOL = "", KEY = "", SECRET = "" } = process.env;
const FILE = new URL("../../../fixtures/conversations/data-server-commands.json", import.meta.url);
process.env["TZ"] = "UTC";

/** Headers of answers that svcctl looks at. */
const KEPT = ["content-type", "etag", "location", "content-range"];

async function recordingProxy(exchanges: Exchange[]) {
  const server = createServer(async (incoming, outgoing) => {
    const sent = await buffer(incoming);
    const url = new URL(incoming.url ?? "", SERVER);
    const headers = { ...incoming.headers, host: url.host };
    const passed = httpRequest(url, { method: incoming.method ?? "GET", headers }, async (answer) => {
      const body = await buffer(answer);
      const kept = KEPT.flatMap((name) => {
        const value = answer.headers[name];
        return typeof value === "string" ? [[name, value]] : [];
      });
      exchanges.push({
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        ...(sent.length > 0 && { sent: sent.toString("utf8") }),
        status: answer.statusCode ?? 0,
        headers: Object.fromEntries(kept),
        answer: body.toString("utf8"),
      });
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(body);
    });
    passed.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Values of earlier answers in arguments: `{commit:main}`, `{run}`, `{hook}`. */
async function filled(args: readonly string[], server: string, cwd: string): Promise<string[]> {
  const get = async (path: string) => {
    const authorization = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`;
    return (await (await fetch(`${server}/api/v1${path}`, { headers: { authorization } })).json()) as never;
  };
  const runs = async (): Promise<{ results: { run_id: string }[] }> =>
    get("/repositories/example-repo/actions/runs");
  return Promise.all(
    args.map(async (arg) => {
      let text = arg.replaceAll("{folder}", cwd);
      if (text.includes("{run}")) text = text.replace("{run}", (await runs()).results[0]?.run_id ?? "");
      if (text.includes("{hook}")) {
        const run = (await runs()).results[0]?.run_id ?? "";
        const hooks: { results?: { hook_run_id: string }[] } = await get(
          `/repositories/example-repo/actions/runs/${run}/hooks`,
        );
        text = text.replace("{hook}", hooks.results?.[0]?.hook_run_id ?? "");
      }
      return text;
    }),
  );
}

async function record(step: Step, cwd: string): Promise<Conversation> {
  const exchanges: Exchange[] = [];
  const files = readFiles(cwd);
  const proxy = await recordingProxy(exchanges);
  const [stdout, stderr] = [sink(), sink()];
  const args = await filled(step.args, SERVER, cwd);
  const stdin = step.stdin === undefined ? new PassThrough().end() : Readable.from([step.stdin]);
  const env = {
    SVCCTL_SERVER_ENDPOINT_URL: proxy.url,
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY,
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    SVCCTL_SERVER_RETRIES_ENABLED: "false",
    HOME: cwd,
    PATH: process.env["PATH"],
  };
  const code = await runSvcctl(args, { stdin, stdout, stderr, cwd }, env);
  proxy.close();
  const placed = (text: string) =>
    withoutRandomNames(text.replaceAll(cwd, "{folder}").replaceAll(proxy.url, "{server}"));
  return {
    ...step,
    files,
    args: args.map((arg) => arg.replaceAll(cwd, "{folder}")),
    exchanges,
    code,
    stdout: placed(stdout.text()),
    stderr: placed(stderr.text()),
  };
}

async function runOther(step: Step, cwd: string): Promise<string> {
  const args = (await filled(step.args, OTHER, cwd)).map((arg) => arg.replace(/^svc:/, "lakefs:"));
  const env = {
    ...process.env,
    LAKECTL_SERVER_ENDPOINT_URL: OTHER,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: KEY,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    LAKECTL_SKIP_ENTERPRISE_CHECK: "true",
    LAKECTL_INTERACTIVE: "false",
    HOME: cwd,
  };
  const ran = spawnSync(OTHER_TOOL, args, { cwd, env, input: step.stdin ?? "", encoding: "utf8" });
  const warning = /Warning: Using "lakectl local"[^\n]*\n\n/;
  return `${ran.stdout}${ran.stderr.replace(warning, "")}`.replaceAll(cwd, "{folder}");
}

/** Replaces what differs between two servers, and the names of the two tools. */
function comparable(text: string): string {
  return withoutRandomNames(text)
    .replace(/(?:^.* \.\.\. done!.*\n)+/gm, (lines) =>
      lines.replace(/!.*/g, "!").split("\n").sort().join("\n"),
    )
    .replace(/lakefs:\/\//g, "svc://")
    .replace(/lakectl/g, "svcctl")
    .replace(/lakeFS|lakefs/g, "svc")
    .replace(/[0-9a-f]{64}|\b[0-9a-f]{16}\b/g, "<id>")
    .replace(/\b[a-z0-9]{20}\b/g, "<key>")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000( UTC|\s\+0000)?/g, "<date>")
    .replace(/timestamp: \d+/g, "timestamp: N")
    .replace(/local:\/\/\S*/g, "<address>");
}

const folders = [
  mkdtempSync(join(tmpdir(), "svcctl-one-")),
  mkdtempSync(join(tmpdir(), "svcctl-two-")),
] as const;
const kept: Conversation[] = [];
let different = 0;
for (const { pause = 0, ...step } of STEPS) {
  await setTimeout(pause);
  writeFiles(folders[0], step.files);
  const own = await record(step, folders[0]);
  kept.push(own);
  if (OTHER_TOOL === "" || step.args[0] === "ingest" || step.args[0] === "abuse") continue;
  writeFiles(folders[1], step.files);
  const other = await runOther(step, folders[1]);
  if (comparable(own.stdout + own.stderr) === comparable(other)) continue;
  different += 1;
  console.log(`DIFFERENT ${step.args.join(" ")}\n--- svcctl\n${own.stdout}${own.stderr}--- other\n${other}`);
}
const note = "Answers of a real data server, and what svcctl printed for them: time zone UTC, no terminal.";
const text = `${JSON.stringify({ note, conversations: kept }, undefined, 1)}\n`;
writeFileSync(FILE, text.replaceAll("/tmp/svcctl/", "/srv/"));
for (const folder of folders) rmSync(folder, { recursive: true });
console.log(`${kept.length} conversations, ${different} different, ${readFileSync(FILE).length} bytes`);
