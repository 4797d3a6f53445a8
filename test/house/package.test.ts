import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const CLONE_BIN = join(ROOT, "node_modules", ".bin");

let folder: string;
let consumer: string;

/** As people have it: this clone's Node in PATH, and nothing of the npm run that started the tests. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS|VITEST|SVC_)/.test(name));
  return { ...Object.fromEntries(kept), PATH: `${CLONE_BIN}${delimiter}${process.env["PATH"]}` };
}

/** Runs a command to its end; throws with all it printed when it fails. */
function command(cwd: string, program: string, ...args: string[]): string {
  const run = spawnSync(program, args, { cwd, env: environment(), encoding: "utf8" });
  if (run.status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${run.error ?? ""}${run.stdout}${run.stderr}`);
  return run.stdout;
}

const installed = (...args: string[]) =>
  command(consumer, join("node_modules", ".bin", "svc-authorizer"), ...args);
const manifestOf = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8"));

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "package-"));
  consumer = join(folder, "consumer");
  mkdirSync(consumer);
  writeFileSync(join(consumer, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
  command(ROOT, process.execPath, "build/build.mjs", join(folder, "dist"));
  const tarball = command(
    join(folder, "dist"),
    "npm",
    "pack",
    "--silent",
    "--pack-destination",
    folder,
  ).trim();
  command(consumer, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, tarball));
}, 240_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the published package", () => {
  it("has the manifest of the clone, without what only the clone needs", () => {
    const [ours, theirs] = [manifestOf(ROOT), manifestOf(join(consumer, "node_modules", "svc-authorizer"))];
    for (const key of ["name", "version", "description", "license", "type", "bin", "dependencies"]) {
      expect(theirs[key], key).toEqual(ours[key]);
    }
    expect(theirs.engines).toEqual({ node: ">=24" });
    for (const key of ["private", "scripts", "devDependencies", "optionalDependencies"]) {
      expect(Object.keys(theirs)).not.toContain(key);
    }
  });

  it("holds compiled sources with types and the data they read, and no sources or tests", () => {
    const path = join(consumer, "node_modules", "svc-authorizer");
    const files = readdirSync(path, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining(["src/main.js", "src/main.d.ts", "policies/manifest.json", "LICENSE"]),
    );
    expect(
      files.filter((file) => /(?<!\.d)\.ts$|\.test\.|^(test|bench|node_modules|docs)\b/.test(file)),
    ).toEqual([]);
  });

  it("tells its version", () => {
    expect(installed("--version")).toBe(`${manifestOf(ROOT).version}\n`);
  });

  it("prints the reference of the configuration as the clone has it", () => {
    expect(installed("config", "docs")).toBe(readFileSync(join(ROOT, "docs", "configuration.md"), "utf8"));
  });

  it("serves until it is told to stop, then exits with 0", async () => {
    const config = join(consumer, "config.yaml");
    const any = "127.0.0.1:0";
    writeFileSync(
      config,
      JSON.stringify({
        database: { type: "mem" },
        auth: { encrypt: { secret_key: "only-for-this-test-0123456789abcdef" } },
        authorizer: { listen_address: any, user_listen_address: any, metrics_address: any },
      }),
    );
    const service = startInstalled("run", "--config", config);
    try {
      const ready = await lineOf(service, "ready ");
      const url = /^ready service=(\S+) /.exec(ready)?.[1];
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/access/v1/check`, { method: "POST" })).status).toBe(401);
      service.kill("SIGTERM");
      expect(await once(service, "exit")).toEqual([0, null]);
    } finally {
      service.kill("SIGKILL");
    }
  });

  it("answers the first decision of the quick start, with the data set that it brings", async () => {
    const service = startInstalled("run", "--quickstart", "--data", join(consumer, "quick start"));
    try {
      const request = await lineOf(service, "curl ");
      expect(JSON.parse(command(consumer, "sh", "-c", request))).toEqual({ decision: true });
      service.kill("SIGTERM");
      expect(await once(service, "exit")).toEqual([0, null]);
    } finally {
      service.kill("SIGKILL");
    }
  });

  it("starts the service inside a test of those who install it", () => {
    const script = `
      import { startAuthorizer } from "svc-authorizer/testing";
      const authorizer = await startAuthorizer({ dataset: { format: 1, users: [{ username: "alice" }] } });
      const response = await fetch(new URL("/access/v1/check", authorizer.url), {
        method: "POST",
        headers: { authorization: "Bearer " + authorizer.token, "content-type": "application/json" },
        body: JSON.stringify({ user: "alice", required: { action: "fs:ReadObject", resource: "arn:svc:fs:::x" } }),
      });
      const { allowed, effect } = await response.json();
      console.log(response.status, allowed, effect);
      await authorizer.close();
    `;
    const output = command(consumer, "node", "--input-type=module", "--eval", script);
    expect(output.trimEnd().split("\n").at(-1)).toBe("200 false neutral");
  });

  it("has types that a strict TypeScript project can use", () => {
    const text = `import { startAuthorizer } from "svc-authorizer/testing";
      const { url }: { readonly url: string } = await startAuthorizer({ dataset: { format: 1 } });
      // @ts-expect-error the kit has no such option
      await startAuthorizer({ datasett: {} });
      export { url };`;
    writeFileSync(join(consumer, "use.ts"), text);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--types", "node"];
    const types = ["--typeRoots", join(ROOT, "node_modules", "@types"), "--skipLibCheck"];
    expect(command(consumer, join(CLONE_BIN, "tsc"), ...options, ...types, "use.ts")).toBe("");
  });
});

function startInstalled(...args: string[]): ChildProcess {
  const program = join(consumer, "node_modules", ".bin", "svc-authorizer");
  return spawn(program, args, { cwd: consumer, env: environment(), stdio: ["ignore", "pipe", "inherit"] });
}

/** The first line on standard output that begins so; throws when the program ends without one. */
async function lineOf(service: ChildProcess, beginning: string): Promise<string> {
  if (service.stdout === null) throw new Error("standard output is not piped");
  for await (const line of createInterface(service.stdout)) if (line.startsWith(beginning)) return line;
  throw new Error(`ended without a line that begins with ${beginning}`);
}
