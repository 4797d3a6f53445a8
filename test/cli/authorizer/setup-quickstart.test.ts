import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { runAuthorizer } from "../../../src/cli/program.ts";
import { readyLines } from "../../../src/cli/run/start-greeting.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

let home: string;
let data: string;
let stop: (() => Promise<number>) | undefined;
beforeEach(() => {
  home = temporaryFolder();
  // A shell reads these signs, unless they are quoted.
  data = join(home, "it's $a folder");
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

/** Ports of their own, as other tests have. */
const FREE = ["listen_address", "authorizer.listen_address", "authorizer.metrics_address"].map(
  (item) => `--${item}=127.0.0.1:0`,
);
const audit = () => `--authorizer.audit.output=${join(home, "audit.log")}`;

function edgeOf(
  output: { stdout: string; stderr: string },
  onStop: (listener: () => void) => void = () => {},
  isTTY = false,
) {
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      output[name] += text;
    },
  });
  return {
    stdout: { ...sink("stdout"), isTTY },
    stderr: sink("stderr"),
    onStop,
    onReload: () => {},
    abort: () => {},
  };
}

async function command(args: readonly string[], env: Record<string, string> = {}) {
  const output = { stdout: "", stderr: "" };
  const code = await runAuthorizer(args, edgeOf(output), { HOME: home, ...env });
  return { code, ...output };
}

const setup = (...args: string[]) =>
  command(["setup", "--quickstart", "--data", data, audit(), "--user-name", "admin", ...args]);

/** Runs the quick start; resolves with what it says once it is ready. */
async function start(env: Record<string, string> = {}, terminal = false): Promise<string> {
  const output = { stdout: "", stderr: "" };
  let signal = (): void => {};
  const edge = edgeOf(
    output,
    (listener) => {
      signal = listener;
    },
    terminal,
  );
  const args = ["run", "--quickstart", "--data", data, audit(), ...FREE];
  const ended = runAuthorizer(args, edge, { HOME: home, ...env });
  stop = () => {
    signal();
    return ended;
  };
  await expect.poll(() => output.stdout + output.stderr).toMatch(terminal ? /^Docs: /m : /^ready /m);
  return output.stdout;
}

/** The words of a command line, as a shell reads them. */
async function wordsOf(line: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("sh", ["-c", `printf '%s\\n' ${line}`]);
  return stdout.split("\n").slice(0, -1);
}

describe("the quick start", () => {
  it("says how the first administrator is made, in the words of whoever called it, and only until then", async () => {
    const said = await start({ npm_lifecycle_event: "start" });
    const line = said.split("\n").at(-2) ?? "";
    expect(await wordsOf(line)).toEqual([
      ...["npm", "run", "-s", "svc-authorizer", "--", "setup", "--quickstart"],
      ...["--data", data, "--user-name", "admin", "--write-config"],
    ]);
    expect(said).toMatch(/^setup token in .*svc-authorizer-setup-token$/m);
    // The token itself is for a terminal only (spec/security §6.2).
    const token = readFileSync(join(data, "svc-authorizer-setup-token"), "utf8").trim();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(said).not.toContain(token);
    await stop?.();
    expect((await start()).split("\n").at(-2)).toMatch(/^svc-authorizer setup --quickstart /);
    expect((await setup()).code).toBe(0);
    await stop?.();
    expect(await start()).not.toMatch(/^setup token|administrator/m);
  });

  it("greets people at a terminal with what each address is for, what to try and what to do next", async () => {
    const said = await start({}, true);
    expect(said).toMatch(/^svc-authorizer \d+\.\d+\.\d+ is ready\./);
    for (const name of ["Decisions", "Management", "Metrics"]) {
      expect(said).toMatch(new RegExp(`^ {2}${name} +http://127\\.0\\.0\\.1:\\d+ {3}for .+$`, "m"));
    }
    const [, curl = "false"] = /^(curl .*)$/m.exec(said) ?? [];
    expect((await promisify(execFile)("sh", ["-c", curl])).stdout).toBe('{"decision":true}');
    expect(said).toMatch(/^svc-authorizer setup --quickstart --data .* --write-config$/m);
    expect(said).toMatch(/^setup token [\w-]{43} /m);
    expect(said).not.toMatch(/^ready /m);
    const [, page = ""] = /^Docs: (docs\/.+)$/m.exec(said) ?? [];
    expect(existsSync(join(import.meta.dirname, "..", "..", "..", page))).toBe(true);
    expect(said.split("\n").length).toBeLessThan(20);
  });

  it("forgets where it answered when it stops", async () => {
    const [, url] = /user=(\S+)/.exec(await start()) ?? [];
    const note = join(data, "user-url");
    expect(readFileSync(note, "utf8")).toBe(`${url}\n`);
    expect(statSync(note).mode & 0o777).toBe(0o600);
    await stop?.();
    expect(existsSync(note)).toBe(false);
  });
});

it("a start with a configuration names the file of the token as a shell reads it", async () => {
  const file = join(data, "token");
  const addresses = { service: "http://a", user: "http://b", metrics: "http://c" };
  const setup = { token: "secret", file };
  const said = readyLines({ version: "0.0.0", addresses, setup, env: {}, cwd: home });
  const [, line = ""] = /^No administrator yet: (.*)$/m.exec(said) ?? [];
  expect((await wordsOf(line)).slice(-2)).toEqual(["--token-file", file]);
});

describe("svc-authorizer setup --quickstart", () => {
  it("finds the service that runs, whatever ports it took, and makes svcctl ready", async () => {
    const [, url = ""] = /user=(\S+)/.exec(await start()) ?? [];
    const done = await setup("--write-config");
    const file = join(home, ".svcctl.yaml");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(
      /^Administrator admin created\.\nAccess Key ID: [\s\S]*\nSecret Access Key: /,
    );
    expect(done.stdout.split("\n").at(-2)).toBe(`svcctl is configured: ${file}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(`endpoint_url: ${url}\n`);
    expect((await svcctl(["doctor"], { env: { HOME: home } })).stdout).toBe("Valid configuration\n");
    const again = await setup();
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toContain("it seems to be set up");
  });

  it("works on the store where the service is stopped", async () => {
    await start();
    await stop?.();
    expect(await setup()).toMatchObject({ code: 0, stderr: "" });
    expect(await setup()).toMatchObject({ code: 1, stderr: expect.stringContaining("has been set up") });
    const more = ["superuser", "--quickstart", "--data", data, audit(), "--user-name", "second"];
    expect(await command(more)).toMatchObject({ code: 0, stderr: "" });
  });

  it("makes no quick start where there is none", async () => {
    const { code, stderr } = await setup();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("there is no quick start in"),
    });
    expect(existsSync(data)).toBe(false);
  });

  it("is what a command without configuration is told about", async () => {
    await start();
    await stop?.();
    const { code, stderr } = await command(["setup", "--data", data, "--user-name", "admin"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^the quick start in .* is meant with --quickstart; without it:\n/);
  });
});

describe("--write-config", () => {
  it("overwrites no key that is there already, and makes no administrator then", async () => {
    await start();
    const file = join(home, ".svcctl.yaml");
    const before = "credentials:\n  access_key_id: AKIAJOTHEROTHEROTHEQ\n";
    writeFileSync(file, before);
    const refused = await setup("--write-config");
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`${file} has a key already`);
    expect(readFileSync(file, "utf8")).toBe(before);
    writeFileSync(file, "a: [b");
    expect((await setup("--write-config")).stderr).toContain(`${file} cannot be used: `);
    const other = join(home, "other.yaml");
    expect(await setup("--write-config", other, "--json")).toMatchObject({ code: 0, stderr: "" });
    expect((await svcctl(["doctor", "--config", other])).stdout).toBe("Valid configuration\n");
  });

  it("keeps other items of the file", async () => {
    await start();
    const file = join(home, "mine.yaml");
    writeFileSync(file, "server:\n  retries:\n    max_attempts: 1\n");
    expect((await setup("--write-config", file)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain("max_attempts: 1\n");
  });

  it("needs to know where the service will answer", async () => {
    await start();
    await stop?.();
    const refused = await setup("--write-config", "--listen_address=127.0.0.1:0");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("--server URL");
    expect((await setup("--write-config", "--listen_address=127.0.0.1:8123")).code).toBe(0);
    expect(readFileSync(join(home, ".svcctl.yaml"), "utf8")).toContain(
      "endpoint_url: http://127.0.0.1:8123\n",
    );
  });
});
