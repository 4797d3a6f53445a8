import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { selfSigned } from "../http/certificate.ts";
import { cleanUp, newFolder, type RunningProgram, run, start, writeConfig } from "./program.ts";

afterEach(cleanUp);

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const KEY = "a-secret-key-that-only-this-test-knows-0123456789";
const object = "arn:svc:fs:::repository/r/object/o";
const dataset = (...readers: string[]) => ({
  format: 1,
  users: readers.map((username) => ({ username, policies: ["Read"] })),
  policies: [{ name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] }],
});

function settings(folder: string, more: Record<string, unknown> = {}) {
  return {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": KEY,
    "auth.api.token": TOKEN,
    ...more,
  };
}

const clientOf = (program: RunningProgram): AuthorizerClient =>
  new AuthorizerClient({ url: program.service, token: TOKEN });

it("a reader of its output that stops early, as head does, is no failure", () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  // By the time that the program writes, the reader has gone.
  const piped = `"$0" "$1" config docs 2>&1 >&3 3>&- | cat; echo end`;
  const script = `{ ${piped}; } 3> >(exec true)`;
  expect(execFileSync("bash", ["-c", script, process.execPath, main], { encoding: "utf8" })).toBe("end\n");
});

describe("standard output that cannot be written", () => {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const MESSAGE = "standard output cannot be written (ENOSPC)\n";
  const launched = (args: readonly string[]) => {
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    return child;
  };

  it.each([["config", "docs"], ["--help"]])("is a failure of a command: %s %s", async (...args) => {
    const child = launched(args);
    const [[code], stderr] = await Promise.all([once(child, "close"), text(child.stderr!)]);
    expect([code, stderr]).toEqual([1, MESSAGE]);
  });

  it("ends no service", async () => {
    const folder = newFolder();
    const port = await freePort();
    const address = `127.0.0.1:${port}`;
    const config = writeConfig(folder, settings(folder, { "authorizer.listen_address": address }));
    const child = launched(["run", "--config", config]);
    const said = text(child.stderr!);
    const health = () =>
      fetch(`http://${address}/healthz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(health).toBe(200);
    child.kill();
    expect(await once(child, "close")).toEqual([0, null]);
    expect(await said).toContain(MESSAGE);
  });
});

describe("run --quickstart", () => {
  it("prints a curl line that works as it is, and starts again with the same data and secrets", async () => {
    const folder = newFolder();
    const first = await start(["--quickstart", "--listen_address=127.0.0.1:0"], folder);
    const curl = first
      .stdout()
      .split("\n")
      .find((line) => line.startsWith("curl ")) as string;
    expect(curl).not.toContain("|");
    expect(execFileSync("sh", ["-c", curl], { cwd: folder, encoding: "utf8" })).toBe('{"decision":true}');
    expect(new URL(first.service).hostname).toBe("127.0.0.1");
    expect(await first.end()).toBe(0);
    const tokenFile = join(folder, ".svc-authorizer", "token");
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
    const token = readFileSync(tokenFile, "utf8");
    const second = await start(["--quickstart"], folder);
    expect(readFileSync(tokenFile, "utf8")).toBe(token);
    const again = second
      .stdout()
      .split("\n")
      .find((line) => line.startsWith("curl ")) as string;
    expect(execFileSync("sh", ["-c", again], { cwd: folder, encoding: "utf8" })).toBe('{"decision":true}');
    expect(await second.end("SIGINT")).toBe(0);
    for (const text of [first.stdout(), first.stderr(), second.stdout(), second.stderr()]) {
      expect(text).not.toContain(token.trim());
    }
  });

  it("takes the next free port where one is busy", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const { port } = blocker.address() as { port: number };
    const program = await start(["--quickstart", `--authorizer.listen_address=127.0.0.1:${port}`]);
    expect(Number(new URL(program.service).port)).toBeGreaterThan(port);
    blocker.close();
    expect(await program.end()).toBe(0);
  });
});

describe("run --config", () => {
  it("takes flags before variables before the file", async () => {
    const folder = newFolder();
    const file = writeConfig(folder, settings(folder, { "authorizer.partition": "fromfile" }));
    const program = await start(["--config", file, "--set", "authorizer.partition=fromflag"], folder, {
      SVC_AUTHORIZER_PARTITION: "fromvariable",
    });
    await program.end();
    const shown = await run(["config", "show", "--config", file, "--only-set"], folder, {
      SVC_AUTHORIZER_PARTITION: "fromvariable",
    });
    expect(shown.stdout).toMatch(/authorizer\.partition: +fromvariable/);
    expect(shown.stdout).not.toContain(KEY);
    expect(shown.stdout).not.toContain(TOKEN);
  });

  it("ends with code 2 and every problem named when the configuration is wrong, and starts nothing", async () => {
    const folder = newFolder();
    const file = writeConfig(folder, {
      database: { type: "local", local: { path: join(folder, "data") } },
      auth: { cache: { ttl: "soon" } },
      authorizer: { listen_adress: "127.0.0.1:0", limits: { batch: "many" } },
    });
    const { code, stderr, stdout } = await run(["run", "--config", file]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    for (const item of [
      "auth.cache.ttl",
      "authorizer.listen_adress",
      "authorizer.limits.batch",
      "auth.encrypt.secret_key",
    ]) {
      expect(stderr).toContain(item);
    }
    expect(stderr).toMatch(/config\.yaml:\d+/);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("says what is wrong when the secret key is another one than the store's", async () => {
    const folder = newFolder();
    const credentials = [
      { access_key_id: "AKIAJTESTTESTTESTTEQ", secret_access_key: "a secret of this test" },
    ];
    const file = writeConfig(folder, { format: 1, users: [{ username: "a", credentials }] }, "users.json");
    const config = writeConfig(folder, settings(folder, { "authorizer.datasets": [file] }));
    const program = await start(["--config", config]);
    expect(await program.end()).toBe(0);
    const other = KEY.replace("only", "0nly");
    const { code, stderr } = await run(["run", "--config", config, "--auth.encrypt.secret_key", other]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("auth.encrypt.secret_key");
    expect(stderr).not.toContain(other);
  });

  it("refuses a store that another process has open", async () => {
    const folder = newFolder();
    const config = writeConfig(folder, settings(folder));
    const program = await start(["--config", config]);
    const { code, stderr } = await run(["run", "--config", config]);
    expect(code).toBe(1);
    expect(stderr).toContain(join(folder, "data", "svc-authorizer"));
    expect(await program.end("SIGKILL")).toBe("SIGKILL");
    expect(await (await start(["--config", config])).end()).toBe(0);
  });
});

describe("signals", () => {
  it("SIGHUP loads data sets and tokens again; faulty ones leave the last good ones in force", async () => {
    const folder = newFolder();
    const users = writeConfig(folder, dataset("alice"), "users.json");
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "first-token-of-a-caller-0123456789abcdef\n");
    const tokens = [{ name: "caller", token_file: tokenFile, scopes: ["decide"] }];
    const config = writeConfig(
      folder,
      settings(folder, { "authorizer.datasets": [users], "authorizer.tokens": tokens }),
    );
    const program = await start(["--config", config]);
    const client = clientOf(program);
    expect(await client.allows("bob", "fs:ReadObject", object)).toBe(false);
    writeConfig(folder, dataset("alice", "bob"), "users.json");
    writeFileSync(tokenFile, "second-token-of-a-caller-0123456789abcdef\n");
    program.child.kill("SIGHUP");
    await expect.poll(() => client.allows("bob", "fs:ReadObject", object)).toBe(true);
    const status = async (token: string): Promise<number> => {
      const caller = new AuthorizerClient({ url: program.service, token });
      return caller.allows("bob", "fs:ReadObject", object).then(
        () => 200,
        (error) => error.status,
      );
    };
    expect(await status("first-token-of-a-caller-0123456789abcdef")).toBe(401);
    expect(await status("second-token-of-a-caller-0123456789abcdef")).toBe(200);
    writeFileSync(users, "{ not a data set");
    program.child.kill("SIGHUP");
    await expect
      .poll(async () => (await fetch(`${program.metrics}/metrics`)).text())
      .toContain("svc_authorizer_datasets_last_load_success 0");
    expect(await client.allows("bob", "fs:ReadObject", object)).toBe(true);
    expect(await program.end()).toBe(0);
  });

  it("SIGHUP shows new connections the certificates that lie there now, and keeps the old ones over faulty files", async () => {
    const folder = newFolder();
    const [cert_file, key_file] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const put = ({ cert, key }: { cert: string; key: string }): void => {
      writeFileSync(cert_file, cert);
      writeFileSync(key_file, key);
    };
    put(selfSigned("first"));
    const tls = { enabled: true, cert_file, key_file };
    const program = await start([
      "--config",
      writeConfig(folder, settings(folder, { "authorizer.tls": tls })),
    ]);
    const shown = (): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const { hostname: host, port } = new URL(program.service);
        const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subject.CN as string);
          socket.destroy();
        });
        socket.on("error", reject);
      });
    expect(program.service).toMatch(/^https:/);
    expect(await shown()).toBe("first");
    put(selfSigned("second"));
    program.child.kill("SIGHUP");
    await expect.poll(shown).toBe("second");
    put({ cert: "no certificate", key: "no key" });
    program.child.kill("SIGHUP");
    await expect.poll(program.stdout).toContain("certificates could not be read again");
    expect(await shown()).toBe("second");
    expect(await program.end()).toBe(0);
  });

  it("SIGTERM: not ready at once, still answering for the delay, then exit 0", async () => {
    const folder = newFolder();
    const config = writeConfig(folder, settings(folder, { "authorizer.shutdown_delay": "600ms" }));
    const program = await start(["--config", config]);
    expect((await fetch(`${program.service}/readyz`)).status).toBe(200);
    const ended = program.end();
    await expect.poll(async () => (await fetch(`${program.service}/readyz`)).status).toBe(503);
    expect((await fetch(`${program.service}/healthz`)).status).toBe(200);
    expect(await clientOf(program).allows("nobody", "fs:ReadObject", object)).toBe(false);
    // The same signal again, as npm forwards it, changes nothing.
    program.child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("a later second signal forces exit 1", async () => {
    const folder = newFolder();
    const config = writeConfig(folder, settings(folder, { "authorizer.shutdown_delay": "30s" }));
    const program = await start(["--config", config]);
    const ended = program.end();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    program.child.kill("SIGTERM");
    expect(await ended).toBe(1);
  });

  it("SIGTERM under load cuts no request", async () => {
    const folder = newFolder();
    const users = writeConfig(folder, dataset("alice"), "users.json");
    const config = writeConfig(folder, settings(folder, { "authorizer.datasets": [users] }));
    const program = await start(["--config", config]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const body = JSON.stringify({ user: "alice", required: { action: "fs:ReadObject", resource: object } });
    const ask = (own: Agent): Promise<"answered" | "refused" | "cut"> =>
      new Promise((resolve) => {
        const asked = request(
          `${program.service}/access/v1/check`,
          {
            method: "POST",
            agent: own,
            headers: {
              authorization: `Bearer ${TOKEN}`,
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body),
            },
          },
          (response) => {
            response.resume();
            response.on("end", () => resolve(response.statusCode === 200 ? "answered" : "cut"));
            response.on("error", () => resolve("cut"));
          },
        );
        asked.on("error", (error: NodeJS.ErrnoException) => {
          // Nobody listens any more: a balancer goes elsewhere. Anything else lost a request.
          resolve(error.code === "ECONNREFUSED" ? "refused" : "cut");
        });
        asked.end(body);
      });
    const outcomes = new Map<string, number>();
    let ended = false;
    const lanes = Array.from({ length: 16 }, async () => {
      const own = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const outcome = await ask(own);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome !== "answered" || ended) return;
      }
    });
    await expect.poll(() => outcomes.get("answered")).toBeGreaterThan(100);
    const code = await program.end();
    ended = true;
    await Promise.all(lanes);
    agent.destroy();
    expect(code).toBe(0);
    expect(outcomes.get("cut") ?? 0).toBe(0);
  });
});

describe("load, sync and export", () => {
  it("load shows a diff first with --dry-run, loads, and export writes what loads back", async () => {
    const folder = newFolder();
    const config = writeConfig(folder, settings(folder));
    const file = fileURLToPath(new URL("../../fixtures/datasets/quickstart.yaml", import.meta.url));
    const dry = await run(["load", file, "--dry-run", "--config", config]);
    expect(dry).toMatchObject({ code: 0, stderr: "" });
    expect(dry.stdout).toContain("+ user alice");
    expect((await run(["load", file, "--config", config])).code).toBe(0);
    const exported = join(folder, "out.json");
    const wrote = await run(["export", "--format", "json", "--output", exported, "--config", config]);
    expect(wrote.code).toBe(0);
    expect(statSync(exported).mode & 0o777).toBe(0o600);
    const other = newFolder();
    const elsewhere = writeConfig(other, settings(other));
    expect((await run(["load", exported, "--config", elsewhere])).code).toBe(0);
    const again = await run(["sync", exported, "--dry-run", "--json", "--config", elsewhere]);
    expect(JSON.parse(again.stdout).counts).toMatchObject({ add: 0, remove: 0 });
  });

  it("names every problem of a data set with file and line, and changes nothing", async () => {
    const folder = newFolder();
    const config = writeConfig(folder, settings(folder));
    const file = writeConfig(folder, { format: 1, users: [{ username: "a*" }, { name: "b" }] }, "bad.json");
    const { code, stderr } = await run(["load", file, "--config", config]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/bad\.json:\d+:\d+: \/users\/0\/username/);
    expect(stderr).toContain("/users/1");
  });
});

describe("help", () => {
  it.each([[["--help"]], [["run", "--help"]], [["config", "--help"]], [["load", "--help"]], [["--version"]]])(
    "%j ends with 0",
    async (args) => {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).not.toBe("");
    },
  );

  it.each([
    [["fly"]],
    [["run", "--no-such"]],
    [["run", "--set", "nothing"]],
    [["export", "--format", "xml"]],
  ])("%j ends with 2 and says why", async (args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toBe("");
  });
});
