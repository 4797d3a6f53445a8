/**
 * The examples as their READMEs start them: a real program, the real service, and what becomes of a request when
 * nobody asks, when the user may not, when he may, and when the service is gone and back.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAuthorizer, type TestAuthorizer } from "../../src/testing/start-authorizer.ts";
import { freePort } from "../journal/free-port.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLES = join(ROOT, "examples");
const TOKEN = "token-of-the-examples-0123456789abcdef";

/** Python with the packages of `requirements.txt`; CI makes an environment and names it. */
const PYTHON = process.env["EXAMPLES_PYTHON"] ?? "python3";

const isThere = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** The command that starts each example in its folder. */
const STARTS: Readonly<Record<string, { readonly command: readonly string[]; readonly there: boolean }>> = {
  express: { command: [process.execPath, "server.mjs"], there: true },
  fastify: { command: [process.execPath, "server.mjs"], there: true },
  hono: { command: [process.execPath, "server.mjs"], there: true },
  go: { command: ["go", "run", "."], there: isThere("go", "version") },
  java: { command: ["java", "Server.java"], there: isThere("javac", "-version") },
  python: { command: [PYTHON, "app.py"], there: isThere(PYTHON, "-c", "import fastapi, httpx, uvicorn") },
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "examples-"));
  execFileSync(process.execPath, [join(ROOT, "build", "pack.mjs"), join(folder, "packed"), "client"]);
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of an example with what its package.json names: our package as it is published, others as the clone has them. */
function installed(name: string): string {
  const copy = join(folder, name);
  cpSync(join(EXAMPLES, name), copy, { recursive: true });
  if (!existsSync(join(copy, "package.json"))) return copy;
  const client = join(copy, "node_modules", "@svc-authorizer", "client");
  mkdirSync(client, { recursive: true });
  execFileSync("tar", ["xzf", join(folder, "packed", "client.tgz"), "--strip-components=1", "-C", client]);
  mkdirSync(join(copy, "node_modules", "@hono"));
  for (const one of ["express", "fastify", "hono", "@hono/node-server"]) {
    symlinkSync(join(ROOT, "node_modules", one), join(copy, "node_modules", one));
  }
  return copy;
}

/** The address that the program prints; throws where it ends without one. */
async function addressOf(program: ChildProcess): Promise<string> {
  for await (const line of createInterface(program.stdout!)) {
    const url = /^listening on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the example ended without its address");
}

it("are all started here", () => {
  // policy-as-code.test.ts runs the one that is no program.
  const programs = readdirSync(EXAMPLES).filter((name) => name !== "policy-as-code");
  expect(Object.keys(STARTS).sort()).toEqual(programs.sort());
});

describe.each(Object.keys(STARTS))("the example in %s", (name) => {
  const { command, there } = STARTS[name]!;
  const [program, ...args] = command as [string, ...string[]];
  let authorizer: TestAuthorizer;
  let example: ChildProcess | undefined;
  const start = (port: number): Promise<TestAuthorizer> =>
    startAuthorizer({
      dataset: "fixtures/datasets/roles.yaml",
      config: { "authorizer.listen_address": `127.0.0.1:${port}`, "auth.api.token": TOKEN },
    });
  afterAll(async () => {
    // `go run` starts a program of its own: the whole group ends.
    if (example?.pid !== undefined) process.kill(-example.pid, "SIGKILL");
    await authorizer?.close();
  });

  it.skipIf(!there)(
    "protects its route, also without the service",
    async () => {
      authorizer = await start(0);
      example = spawn(program, args, {
        cwd: installed(name),
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
        env: {
          ...process.env,
          AUTHORIZER_URL: authorizer.url,
          AUTHORIZER_TOKEN: TOKEN,
          PORT: String(await freePort()),
        },
      });
      const url = await addressOf(example);
      await expect
        .poll(
          () =>
            fetch(url).then(
              () => true,
              () => false,
            ),
          { timeout: 20_000 },
        )
        .toBe(true);
      const status = async (user?: string): Promise<number> => {
        const headers: Record<string, string> = user === undefined ? {} : { "x-user": user };
        return (await fetch(`${url}/objects/a`, { method: "DELETE", headers })).status;
      };
      expect(await status()).toBe(401);
      expect(await status("viewer")).toBe(403);
      expect(await status('nobody" or "admin')).toBe(403);
      expect(await status("developer")).toBe(200);
      const port = Number(new URL(authorizer.url).port);
      await authorizer.close();
      expect(await status("developer")).toBe(503);
      authorizer = await start(port);
      expect(await status("developer")).toBe(200);
    },
    180_000,
  );
});
