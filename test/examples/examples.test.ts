/**
 * The examples as their READMEs start them: a real program, the real service, and what becomes of a request when
 * nobody asks, when the user may not, when he may, and when the service is gone and back.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { freePort } from "../free-port.ts";
import { EXAMPLES, Scratch, statusOf } from "./kit.ts";

const TOKEN = "token-of-the-examples-0123456789abcdef";
const TIMEOUT_MS = 300_000;

/** Python with the packages of `requirements.txt`; CI makes an environment and names it. */
const PYTHON = process.env["EXAMPLES_PYTHON"] ?? "python3";

const isThere = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

interface Start {
  /** The command that starts the example in its folder. */
  readonly command: readonly string[];
  readonly there: boolean;
  /** The command that makes it ready; its packages then come from the registry. */
  readonly build?: readonly string[];
}

/** The ways in which the examples are started. */
const STARTS: Readonly<Record<string, Start>> = {
  express: { command: [process.execPath, "server.mjs"], there: true },
  fastify: { command: [process.execPath, "server.mjs"], there: true },
  hono: { command: [process.execPath, "server.mjs"], there: true },
  next: { command: ["npm", "start"], there: true, build: ["npm", "run", "build"] },
  go: { command: ["go", "run", "."], there: isThere("go", "version") },
  java: { command: ["java", "Server.java"], there: isThere("javac", "-version") },
  python: { command: [PYTHON, "app.py"], there: isThere(PYTHON, "-c", "import fastapi, httpx, uvicorn") },
};

/** Examples that have a test of their own. */
const OTHERS: Readonly<Record<string, string>> = {
  shop: "shop.test.ts",
  compose: "compose.test.ts",
  kubernetes: "kubernetes.test.ts",
  "policy-as-code": "policy-as-code.test.ts",
  "listing-proxy": "../api/decisions/requests-page.test.ts",
};

const scratch = new Scratch();
afterAll(() => scratch.close());

/** Errors of npm where its registry cannot be reached. */
const NO_REGISTRY = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E403)\b/;

/** Packages of the example in Next, which CI keeps from run to run; absent: they are installed. */
const KEPT = process.env["EXAMPLES_NEXT"];

/** A copy with packages from the registry, built; a machine without a registry skips the test. */
function builtFromRegistry(name: string, build: readonly string[], context: TestContext): string {
  const folder = KEPT === undefined ? scratch.copied(name) : scratch.withPackages(name, KEPT);
  const run = (...command: readonly string[]): string => {
    const [program = "", ...args] = command;
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env });
    if (status === 0) return "";
    return `${stdout}${stderr}` || `${program} ended with ${status}`;
  };
  if (KEPT === undefined) {
    const missing = run("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", scratch.client());
    context.skip(NO_REGISTRY.test(missing), "no package registry");
    expect(missing).toBe("");
  }
  expect(run(...build)).toBe("");
  return folder;
}

it("are all started here, or in a test of their own", () => {
  expect([...Object.keys(STARTS), ...Object.keys(OTHERS)].sort()).toEqual(readdirSync(EXAMPLES).sort());
  for (const file of Object.values(OTHERS)) expect(existsSync(join(import.meta.dirname, file))).toBe(true);
});

it.each(readdirSync(EXAMPLES))(
  "%s has a short README with commands, or names the page that has them",
  (name) => {
    const text = readFileSync(join(EXAMPLES, name, "README.md"), "utf8");
    expect(text).toMatch(/```sh\n|\]\(\.\.\/\.\.\/docs\//);
    expect(text.split("\n").length).toBeLessThan(25);
  },
);

it.each(Object.entries(STARTS))("%s: the README starts it as this test does", (name, { command, build }) => {
  const folder = join(EXAMPLES, name);
  const [program = "", ...args] = command;
  const shown = [{ [process.execPath]: "node", [PYTHON]: "python" }[program] ?? program, ...args].join(" ");
  const manifest = join(folder, "package.json");
  const scripts = existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).scripts : {};
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  expect(readme).toContain(scripts.start === shown ? "&& npm start" : shown);
  if (build !== undefined) expect(readme).toContain(`&& ${build.join(" ")} &&`);
  expect(readme).toMatch(/^curl -X DELETE -H "x-user: \w+" http:\/\/127\.0\.0\.1:3000\/objects\/a /m);
});

describe.each(Object.keys(STARTS))("the example in %s", (name) => {
  const { command, there, build } = STARTS[name]!;
  let authorizer: TestAuthorizer | undefined;
  const start = (port: number): Promise<TestAuthorizer> =>
    startAuthorizer({
      dataset: "fixtures/datasets/roles.yaml",
      config: { "authorizer.listen_address": `127.0.0.1:${port}`, "auth.api.token": TOKEN },
    });
  afterAll(() => authorizer?.close());

  it.skipIf(!there)(
    "protects its route, also without the service",
    async (context) => {
      const folder = build === undefined ? scratch.installed(name) : builtFromRegistry(name, build, context);
      authorizer = await start(0);
      const example = `http://127.0.0.1:${await freePort()}`;
      const program = scratch.start(command, folder, {
        AUTHORIZER_URL: authorizer.url,
        AUTHORIZER_TOKEN: TOKEN,
        PORT: new URL(example).port,
        NODE_ENV: undefined,
      });
      await expect
        .poll(() => program.exitCode !== null || statusOf(example), { timeout: 120_000, interval: 100 })
        .toBeGreaterThan(1);
      const status = (user?: string): Promise<number> => {
        const headers: Record<string, string> = user === undefined ? {} : { "x-user": user };
        return statusOf(`${example}/objects/a`, { method: "DELETE", headers });
      };
      expect(await status()).toBe(401);
      expect(await status("viewer")).toBe(403);
      expect(await status('nobody" or "admin')).toBe(403);
      expect(await status("developer")).toBe(200);
      if (name === "next") await pagesShowWhatIsAllowed(example);
      const port = Number(new URL(authorizer.url).port);
      await authorizer.close();
      expect(await status("developer")).toBe(503);
      authorizer = await start(port);
      expect(await status("developer")).toBe(200);
    },
    TIMEOUT_MS,
  );
});

/** The page of the Next example shows three objects to who may read them, and none to anybody else. */
async function pagesShowWhatIsAllowed(example: string): Promise<void> {
  const items = async (user?: string): Promise<number> => {
    const headers: Record<string, string> = user === undefined ? {} : { "x-user": user };
    return (await (await fetch(example, { headers })).text()).match(/<li>/g)?.length ?? 0;
  };
  expect(await items("viewer")).toBe(3);
  expect(await items("nobody")).toBe(0);
  expect(await items()).toBe(0);
}
