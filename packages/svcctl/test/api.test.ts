import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { apiBase } from "@svc-authorizer/svcctl/api/endpoint.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../test/http/certificate.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

const LIST = ["auth", "users", "list"];
const EMPTY = { status: 200, body: { results: [], pagination: { has_more: false } } };
const busy = (status: number, message?: string) => ({
  status,
  body: message === undefined ? "" : { message },
});

describe("the endpoint", () => {
  it.each([
    ["http://localhost:8000", "http://localhost:8000/api/v1"],
    ["http://localhost:8000/", "http://localhost:8000/api/v1"],
    ["https://data.example.com/api/v1", "https://data.example.com/api/v1"],
    ["https://data.example.com/api/v1/", "https://data.example.com/api/v1"],
    ["https://data.example.com/proxied", "https://data.example.com/proxied"],
  ])("%s is called as %s", (given, base) => {
    expect(apiBase(given)).toBe(base);
  });

  it.each(["", "localhost:8000", "/path", "ftp://host", "http://"])("%j is refused", async (url) => {
    expect(() => apiBase(url)).toThrow("invalid server.endpoint_url");
  });

  it("with a secret in it is refused without repeating it", () => {
    expect(() => apiBase("http://user:hidden@host")).toThrow(/^(?!.*hidden).*credentials/);
  });
});

describe("a request", () => {
  it("carries the credentials and tells what calls", async () => {
    const server = await replay([EMPTY]);
    await svcctl(LIST, { env: server.env });
    const { headers } = server.asked[0] ?? {};
    const basic = Buffer.from("AKIAIOSFODNN7EXAMPLQ:a-secret-for-tests").toString("base64");
    expect(headers?.authorization).toBe(`Basic ${basic}`);
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
    expect(headers?.["user-agent"]).toMatch(
      new RegExp(`^svcctl/${version}/${process.platform}/[^/]+/${process.arch}$`),
    );
  });

  it("carries no credentials where none are configured", async () => {
    const server = await replay([EMPTY]);
    await svcctl(LIST, { env: { SVCCTL_SERVER_ENDPOINT_URL: server.url } });
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
  });
});

describe("retries", () => {
  it.each([429, 500, 503])("go on after %d until there is an answer, for every method", async (status) => {
    const server = await replay([
      busy(status),
      busy(status),
      { status: 201, body: { id: "n", creation_date: 0 } },
    ]);
    const { code, stderr } = await svcctl(["auth", "users", "create", "--id", "n"], { env: server.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(server.asked.map(({ line }) => line)).toEqual(Array(3).fill("POST /api/v1/auth/users"));
  });

  it.each([400, 401, 404, 409, 501, 502])("are not made after %d", async (status) => {
    const server = await replay([busy(status, "no")]);
    expect((await svcctl(LIST, { env: server.env })).code).toBe(1);
    expect(server.asked).toHaveLength(1);
  });

  it("give up after five tries in the words of lakectl", async () => {
    const server = await replay([busy(500)]);
    const { code, stdout, stderr } = await svcctl(["auth", "users", "create", "--id", "n"], {
      env: server.env,
    });
    const url = `${server.url}/api/v1/auth/users`;
    const text = `Post "${url}": POST ${url} giving up after 5 attempt(s)\nError executing command.\n`;
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: text });
    expect(server.asked).toHaveLength(5);
  });

  it("keep what the server said last", async () => {
    const server = await replay([busy(503, "the store is down")]);
    const { stderr } = await svcctl(LIST, { env: server.env });
    expect(stderr).toContain("giving up after 5 attempt(s): the store is down (503 Service Unavailable)\n");
  });

  it("go on when nobody answers, and say why nobody did", async () => {
    const { stderr, code } = await svcctl(LIST, { env: await unreachable() });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Get "http:.*": GET http:.* giving up after 5 attempt\(s\): connect ECONNREFUSED/,
    );
  });

  it("can be switched off and counted differently", async () => {
    const off = await replay([busy(500, "broken")]);
    const never = { ...off.env, SVCCTL_SERVER_RETRIES_ENABLED: "false" };
    expect((await svcctl(LIST, { env: never })).stderr).toBe("broken\n500 Internal Server Error\n");
    expect(off.asked).toHaveLength(1);
    const once = await replay([busy(500)]);
    await svcctl(LIST, { env: { ...once.env, SVCCTL_SERVER_RETRIES_MAX_ATTEMPTS: "1" } });
    expect(once.asked).toHaveLength(2);
  });

  it("are told on a terminal only", async () => {
    const answers = [busy(503), EMPTY];
    const told = await svcctl(LIST, { env: (await replay(answers)).env, errorTerminal: true });
    expect(told.stderr).toMatch(/^GET: 503 Service Unavailable; trying again in \d\.\d s \(2 of 5\)\n$/);
    expect((await svcctl(LIST, { env: (await replay(answers)).env })).stderr).toBe("");
  });

  it("wait no longer than configured, whatever the server asks for", async () => {
    const server = await replay([{ ...busy(503), headers: { "retry-after": "3600" } }, EMPTY]);
    expect((await svcctl(LIST, { env: server.env })).code).toBe(0);
  });
});

describe("TLS", () => {
  it("with an untrusted certificate is refused at once", async () => {
    const { cert, key } = selfSigned("svcctl test");
    let connections = 0;
    const server = createTlsServer({ cert, key })
      .on("connection", () => connections++)
      .listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const url = `https://127.0.0.1:${port}`;
    const { code, stderr } = await svcctl(LIST, { env: { SVCCTL_SERVER_ENDPOINT_URL: url } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Get "https:.*": self-signed certificate.*\nError executing command\.\n$/);
    expect(connections).toBe(1);
  });
});

/** An address that nobody listens on. */
async function unreachable(): Promise<Record<string, string>> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  const intervals = {
    SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
    SVCCTL_SERVER_RETRIES_MAX_WAIT_INTERVAL: "1ms",
  };
  return { SVCCTL_SERVER_ENDPOINT_URL: `http://127.0.0.1:${port}`, ...intervals };
}

describe("the log", () => {
  it("is off, and with a level tells each request without secrets", async () => {
    const { env } = await replay([EMPTY]);
    expect((await svcctl(LIST, { env })).stderr).toBe("");
    const { stderr } = await svcctl([...LIST, "--log-level", "debug"], { env });
    expect(stderr).toMatch(/^time=\S+ level=debug msg=answered method=GET url="http.*" status=200\n$/);
    expect(stderr).not.toMatch(/secret|Basic/);
  });

  it("goes where it is sent, as JSON too", async () => {
    const { env } = await replay([EMPTY]);
    const folder = temporaryFolder();
    const flags = ["--log-level", "trace", "--log-format", "json", "--log-output", "-,svcctl.log"];
    const { stdout, stderr } = await svcctl([...flags, ...LIST], { env, cwd: folder });
    const line = stdout.split("\n")[0] ?? "";
    expect(JSON.parse(line)).toMatchObject({ level: "debug", status: 200 });
    expect(stderr).toBe("");
    expect(readFileSync(join(folder, "svcctl.log"), "utf8")).toBe(`${line}\n`);
    expect(statSync(join(folder, "svcctl.log")).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["--log-level", "loud"],
    ["--log-format", "xml"],
  ])("refuses %s %s", async (flag, value) => {
    const { env } = await replay([EMPTY]);
    const { code, stderr } = await svcctl([...LIST, flag, value], { env });
    expect(code).toBe(1);
    expect(stderr).toContain(`"${value}"`);
  });
});
