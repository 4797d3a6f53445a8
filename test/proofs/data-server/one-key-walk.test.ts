/**
 * docs/one-key.md, every command as it is written but for the ports, in a clean clone: a data server with one user, two users
 * with different rights, a browser, an S3 client and Spark.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "../../../packages/console/test/console.ts";
import { freePort } from "../../free-port.ts";
import { report } from "../size.ts";
import { givenDataServer } from "./given-data-server.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const PORTS = ["8000", "8001", "8004", "8005", "8080"];
const given = givenDataServer();

function has(program: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const isPossible =
  given !== undefined &&
  CHROMIUM !== undefined &&
  process.getuid?.() === 0 &&
  has("nginx", "-v") &&
  has("aws", "--version") &&
  has("curl", "--version");
const hasSpark = isPossible && has("spark-submit", "--version");

/** The blocks of commands of the page. */
function commandBlocks(): readonly string[] {
  const page = readFileSync(join(ROOT, "docs/one-key.md"), "utf8");
  return [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
}

/** A clone with the modules that `npm ci` would install. */
function cleanClone(): string {
  const folder = mkdtempSync(join(tmpdir(), "one-key-walk-"));
  const clone = join(folder, "clone");
  execFileSync("git", ["clone", "-q", ROOT, clone]);
  for (const modules of globSync(["node_modules", "packages/*/node_modules"], { cwd: ROOT })) {
    const from = join(ROOT, modules);
    // Links of files take no room, but do not reach another file system.
    if (!has("cp", "-al", from, join(clone, modules))) {
      cpSync(from, join(clone, modules), { recursive: true, verbatimSymlinks: true });
    }
  }
  return clone;
}

describe.skipIf(!isPossible)("docs/one-key.md", () => {
  let clone = "";
  let browser: Browser;
  const ports = new Map<string, number>();
  beforeAll(async () => {
    for (const port of PORTS) ports.set(port, await freePort());
    clone = cleanClone();
    browser = await chromium.launch({ executablePath: CHROMIUM as string, args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    if (clone !== "") rmSync(dirname(clone), { recursive: true, force: true });
  });

  const withPorts = (text: string) =>
    PORTS.reduce((all, one) => all.replaceAll(`:${one}`, `:${ports.get(one)}`), text);

  /** Logs in with the key that the walk made, and waits for what the person may see. */
  async function visit(user: string): Promise<void> {
    const key = JSON.parse(readFileSync(join(clone, "one-key", `${user}.json`), "utf8"));
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`http://127.0.0.1:${ports.get("8080")}/`);
    await page.getByPlaceholder("Access Key ID").fill(key.access_key_id);
    await page.getByPlaceholder("Secret Access Key").fill(key.secret_access_key);
    // This browser gives the page no input of a mouse.
    await page.getByRole("button", { name: "Login" }).dispatchEvent("click");
    await page.getByRole("link", { name: "sales", exact: true }).first().waitFor();
    await page.goto(`http://127.0.0.1:${ports.get("8080")}/repositories/sales/objects?ref=main`);
    await page.getByText("hello.txt").first().waitFor();
    await page.context().close();
  }

  it("leads from nothing to two users with different rights", { timeout: 1_200_000 }, async () => {
    const began = performance.now();
    // nginx listens on all addresses as it is shipped; its file is read with another port.
    const nginx = join(clone, "deploy/exchange/nginx.conf");
    execFileSync("sed", [
      "-i",
      ...PORTS.flatMap((port) => ["-e", `s/\\(:\\|listen \\)${port}/\\1${ports.get(port)}/`]),
      nginx,
    ]);
    const env = {
      ...process.env,
      PATH: `${dirname(given?.server ?? "")}:${process.env["PATH"]}`,
      SVC_AUTHORIZER_METRICS_ADDRESS: "127.0.0.1:0",
    };
    // In a group of its own, of which nothing is left: a data server may not end when it is asked to.
    const shell = spawn("bash", ["-euo", "pipefail"], {
      cwd: clone,
      env,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    let written = "";
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        written += text;
      });
    }
    const ended = once(shell, "exit");
    try {
      const blocks = commandBlocks();
      const stop = blocks.at(-1) ?? "";
      expect(stop).toContain("kill %1 %2");
      for (const [index, block] of blocks.slice(0, -1).entries()) {
        if (!hasSpark && block.includes("spark-submit")) continue;
        shell.stdin.write(`${withPorts(block)}\necho "done ${index}"\n`);
        await Promise.race([
          expect.poll(() => written, { timeout: 600_000 }).toContain(`done ${index}\n`),
          ended.then(() => Promise.reject(new Error(`block ${index} ended the walk: ${written}`))),
        ]);
      }
      expect(written).toContain("hello\n");
      expect(written).toContain("refused\n");
      await visit("alice");
      await visit("bob");
      report(
        `docs/one-key.md, ${hasSpark ? "with" : "without"} Spark: ${((performance.now() - began) / 1_000).toFixed(0)} s`,
      );
      expect(await statusOf("alice", "other.txt")).toBe(404);
      if (hasSpark) expect(written).toMatch(/^3$/m);
      shell.stdin.end(withPorts(stop));
      await ended;
      const gone = () => Promise.all(PORTS.map((port) => isAnswering(ports.get(port) as number)));
      await expect.poll(gone).toEqual(PORTS.map(() => false));
    } finally {
      if (shell.stdin.writable) shell.stdin.end("kill %1 %2\n");
      await Promise.race([ended, delay(10_000)]);
      if (existsSync(join(clone, "one-key/nginx.pid"))) {
        has("kill", readFileSync(join(clone, "one-key/nginx.pid"), "utf8").trim());
      }
      has("kill", "-KILL", "--", `-${shell.pid}`);
    }
  });

  /** The status of an object of the repository, for a user. */
  async function statusOf(user: string, path: string): Promise<number> {
    const key = JSON.parse(readFileSync(join(clone, "one-key", `${user}.json`), "utf8"));
    const credentials = Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString("base64");
    const target = `http://127.0.0.1:${ports.get("8080")}/api/v1/repositories/sales/refs/main/objects/stat?path=${path}`;
    return (await fetch(target, { headers: { authorization: `Basic ${credentials}` } })).status;
  }
});

async function isAnswering(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
