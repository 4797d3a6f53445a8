/** Tests the advice that svcctl shows to people only. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { warningsOf } from "@svc-authorizer/commands/rest-client/warnings.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../test/http/certificate.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { type Answer, replay } from "./replay-server.ts";
import { type RunOptions, svcctl } from "./run-svcctl.ts";

const LIST = ["auth", "users", "list"];
const UNKNOWN: Answer = { status: 401, body: { message: "error authenticating request" } };
const NO_RETRIES = { SVCCTL_SERVER_RETRIES_ENABLED: "false" };

/** The hint of a list that fails, on a terminal. */
async function hint(env: RunOptions["env"] = {}): Promise<string | undefined> {
  const { code, stderr } = await svcctl(LIST, { env: { ...NO_RETRIES, ...env }, errorTerminal: true });
  expect(code).toBe(1);
  return /\n\nHint: (.*)\n$/.exec(stderr)?.[1];
}

/** The hint at an answer, with the usual settings of tests or none at all. */
async function hintAt(answer: Answer, env?: RunOptions["env"]): Promise<string | undefined> {
  const server = await replay([answer]);
  return hint(env === undefined ? server.env : { SVCCTL_SERVER_ENDPOINT_URL: server.url, ...env });
}

describe("a hint", () => {
  it("says how a key gets into the configuration where there is none", async () => {
    const home = temporaryFolder();
    const file = join(home, ".svcctl.yaml");
    expect(await hintAt(UNKNOWN, { HOME: home })).toBe(
      `no access key is configured: svcctl config asks for one and keeps it in ${file}, svcctl login signs in through a browser`,
    );
    writeFileSync(file, "a: [b");
    expect(await hintAt(UNKNOWN, { HOME: home })).toMatch(/\.svcctl\.yaml was left out: /);
  });

  it("names the key that was refused, and not its secret", async () => {
    const said = await hintAt(UNKNOWN);
    expect(said).toMatch(/^http:\S+ does not accept the access key AKIAIOSFODNN7EXAMPLQ: /);
    expect(said).not.toContain("a-secret-for-tests");
  });

  it.each([
    { status: 401, body: { message: "a bearer token is needed" } },
    { status: 404, body: { message: "there is nothing at this path" } },
    { status: 404, body: "<html>" },
    { status: 200, body: "<html>" },
  ])("says that something else answers: $status $body", async (answer) => {
    expect(await hintAt(answer)).toMatch(/^http:\S+ is no management API: /);
  });

  it.each([
    { status: 401, body: { message: "insufficient permissions: not allowed to auth:ListUsers" } },
    { status: 404, body: { message: "user not found" } },
    { status: 500, body: "" },
  ])("is not given where the answer says it all: $status $body", async (answer) => {
    expect(await hintAt(answer)).toBeUndefined();
  });

  it("is not given where a server answers that it cannot, however often it is asked", async () => {
    const server = await replay([{ status: 503, body: { message: "the store is down" } }]);
    const { stderr } = await svcctl(LIST, { env: server.env, errorTerminal: true });
    expect(stderr).toMatch(/the store is down \(503 Service Unavailable\)\nError executing command\.\n$/);
  });

  it("says where a server was expected", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, "close");
    const SVCCTL_SERVER_ENDPOINT_URL = `http://127.0.0.1:${port}`;
    expect(await hint({ SVCCTL_SERVER_ENDPOINT_URL })).toMatch(
      new RegExp(`^expected a server at http://127\\.0\\.0\\.1:${port} \\(there is no .*\\.svcctl\\.yaml\\)`),
    );
  });

  it("tells how certificates are trusted, and where there is no TLS at all", async () => {
    const server = createTlsServer(selfSigned("svcctl test")).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    expect(await hint({ SVCCTL_SERVER_ENDPOINT_URL: `https://127.0.0.1:${port}` })).toContain(
      "NODE_EXTRA_CA_CERTS=",
    );
    const { url } = await replay([UNKNOWN]);
    const SVCCTL_SERVER_ENDPOINT_URL = url.replace("http:", "https:");
    expect(await hint({ SVCCTL_SERVER_ENDPOINT_URL })).toMatch(/speaks no TLS/);
    const { stderr } = await svcctl(LIST, { env: { SVCCTL_SERVER_ENDPOINT_URL } });
    expect(stderr).toMatch(/: TLS: wrong version number\nError executing command\.\n$/);
  });

  it("is for people: where standard error is no terminal there is none", async () => {
    const { env } = await replay([UNKNOWN]);
    expect((await svcctl(LIST, { env })).stderr).toBe("error authenticating request\n401 Unauthorized\n");
  });
});

describe("warnings of the server", () => {
  it("are shown on standard error, beside the answer", async () => {
    const warning = '299 svc-authorizer "/statement/0: say \\"no\\", or \\\\"';
    const body = { id: "n", creation_date: 0 };
    const { env } = await replay([
      { status: 201, body, headers: { warning: `${warning}, 299 a "b\u0085"` } },
    ]);
    const { code, stdout, stderr } = await svcctl(["auth", "users", "create", "--id", "n", "--json"], {
      env,
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: /statement/0: say "no", or \\\nwarning: b\\u0085\n',
    });
    expect(JSON.parse(stdout)).toEqual(body);
  });

  it.each([null, "", "nonsense", '110 proxy "stale"', '299 a "not closed'])(
    "of the form %j are none",
    (header) => {
      expect(warningsOf(header)).toEqual([]);
    },
  );
});

describe("svcctl doctor without a key", () => {
  it("says so, and how one gets there", async () => {
    const { url } = await replay([UNKNOWN]);
    const home = temporaryFolder();
    const { code, stdout } = await svcctl(["doctor"], {
      env: { SVCCTL_SERVER_ENDPOINT_URL: url, HOME: home },
    });
    const file = join(home, ".svcctl.yaml");
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `No access key is configured\nsvcctl config asks for one and keeps it in ${file}, svcctl login signs in through a browser\n`,
    });
  });
});
