import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { painted } from "./painted.ts";
import { type Answer, replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

const USER = { status: 200, body: { user: { id: "carol" } } };
/** Of the form that lakectl makes, so that nothing else looks suspicious. */
const USUAL = {
  SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAJIOSFODNN7EXAMPQ",
  SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

async function doctor(answers: readonly Answer[], env: Record<string, string> = USUAL, args: string[] = []) {
  const server = await replay(answers);
  const home = temporaryFolder();
  const finished = await svcctl([...args, "doctor"], { env: { ...server.env, ...env, HOME: home } });
  return { ...finished, server, file: join(home, ".svcctl.yaml") };
}

describe("svcctl doctor", () => {
  it("finds a configuration that works", async () => {
    const { code, stdout, stderr, server } = await doctor([USER]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Valid configuration\n", stderr: "" });
    // What the user may do is asked once where the server does not answer it.
    expect(server.asked.map(({ line }) => line)).toEqual(["GET /api/v1/user", "POST /api/v1/auth/check"]);
    const { env } = await replay([USER]);
    expect((await svcctl(["doctor"], { env, terminal: true })).stdout).toBe(
      painted("[green:Valid configuration]\n"),
    );
  });

  it.each([
    [-300_000, "ahead of"],
    [300_000, "behind"],
  ])("tells of clocks that differ: %d ms", async (difference, direction) => {
    const date = new Date(Date.now() + difference).toUTCString();
    const { stdout } = await doctor([{ ...USER, headers: { date } }]);
    expect(stdout).toMatch(
      new RegExp(
        `^Valid configuration\nThe clock of this machine is (299|30\\d) seconds ${direction} that of the server\n$`,
      ),
    );
  });

  it("asks for repositories where there is no current user", async () => {
    const { stdout, server } = await doctor([
      { status: 404, body: {} },
      { status: 200, body: { results: [] } },
    ]);
    expect(stdout).toBe("Valid configuration\n");
    expect(server.asked.map(({ line }) => line)).toEqual(["GET /api/v1/user", "GET /api/v1/repositories"]);
  });

  it.each([
    ["the empty user of a data server", { status: 200, body: { user: { id: "" } } }],
    ["no current user, and repositories of nobody", { status: 200, body: { results: [] } }],
    ["a refusal", { status: 401, body: { message: "error authenticating request" } }],
  ])("without credentials is no valid configuration: %s", async (_what, answer) => {
    const none = { SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "", SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "" };
    const { code, stdout, file, server } = await doctor([answer], none);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^No access key is configured\n/);
    expect(stdout).toContain(
      `svcctl config asks for one and keeps it in ${file}, svcctl login signs in through a browser\n`,
    );
    expect(server.asked.length).toBeGreaterThan(0);
  });

  it("a key that the server takes for nobody's is wrong", async () => {
    const { code, stdout } = await doctor([{ status: 200, body: { user: { id: "" } } }]);
    expect(code).toBe(1);
    expect(stdout).toContain("nobody is signed in");
  });

  it("--exit-code makes any finding a failure", async () => {
    const refusal = { status: 401, body: { message: "no" } };
    expect((await doctor([refusal], { ...USUAL }, [])).code).toBe(0);
    const server = await replay([refusal, USER]);
    const env = { ...server.env, ...USUAL };
    expect((await svcctl(["doctor", "--exit-code"], { env })).code).toBe(1);
    expect((await svcctl(["doctor", "--exit-code"], { env })).code).toBe(0);
  });

  it("names a source of credentials that svcctl does not have, as every other command does", async () => {
    const provider = { SVCCTL_CREDENTIALS_PROVIDER_TYPE: "aws_iam" };
    const none = { SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "", SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "" };
    const { code, stdout, server } = await doctor([USER], { ...none, ...provider });
    expect(code).toBe(1);
    expect(stdout).toContain("credentials.provider.type is aws_iam, and svcctl works with access keys only");
    const listed = await svcctl(["repo", "list"], { env: { ...server.env, ...none, ...provider } });
    expect(listed.code).toBe(1);
    expect(listed.stderr).toContain("credentials.provider.type is aws_iam");
    expect(server.asked).toEqual([]);
    expect((await doctor([USER], { ...USUAL, ...provider })).stdout).toBe("Valid configuration\n");
  });

  it("names wrong credentials", async () => {
    const { code, stdout } = await doctor([
      { status: 401, body: { message: "error authenticating request" } },
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      "It seems like the `access_key_id` or `secret_access_key` you supplied are wrong.\nerror authenticating request\n",
    );
  });

  it("names the file for any other refusal", async () => {
    const { stdout, file } = await doctor([{ status: 403, body: { message: "not today" } }]);
    expect(stdout).toBe(`It looks like you have a problem with your \`${file}\` file.\nnot today\n`);
  });

  it.each([
    ["a web page", { status: 200, body: "<html>" }, "\n"],
    ["a server that is broken", { status: 500, body: "" }, /^\nGet "http.*giving up after 5 attempt\(s\)\n$/],
  ])("doubts the endpoint for %s", async (_what, answer, rest) => {
    const { code, stdout } = await doctor([answer]);
    expect(code).toBe(0);
    const [first = "", ...others] = stdout.split("\n");
    expect(first).toBe("It looks like endpoint url is wrong.");
    expect(`\n${others.join("\n")}`).toMatch(typeof rest === "string" ? /^\n\n$/ : rest);
  });

  it("says what looks suspicious once something fails", async () => {
    const { stdout } = await doctor([USER], {
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "mine",
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "hidden",
      SVCCTL_SERVER_ENDPOINT_URL: "host:8000",
    });
    expect(stdout.split("\n").slice(2)).toEqual([
      "access_key_id value looks suspicious: mine",
      "secret_access_key value looks suspicious...",
      "Suspicious URI format for server.endpoint_url: host:8000",
      "",
    ]);
    expect(stdout).not.toContain("hidden");
  });

  it("tells of a file that was left out", async () => {
    const file = join(temporaryFolder(), "broken.yaml");
    writeFileSync(file, "a: [b");
    const { stdout } = await doctor([{ status: 401, body: {} }], { ...USUAL, SVCCTL_CONFIG_FILE: file });
    expect(stdout).toContain(`${file} was ignored: `);
  });

  it("fails only when the file of --config cannot be read", async () => {
    const { code, stderr } = await svcctl(["doctor", "--config", "/none.yaml"]);
    expect(code).toBe(1);
    expect(stderr).toContain("error reading configuration file: open /none.yaml");
  });

  it("says more with --verbose, and all of it as JSON with --json", async () => {
    const verbose = await doctor([{ status: 401, body: { message: "no" } }], USUAL, ["--verbose"]);
    expect(verbose.stdout).toMatch(/^Trying to get the current user from http/);
    expect(verbose.stdout).toMatch(/Couldn't find a problem with/);
    const { env } = await replay([USER]);
    expect(JSON.parse((await svcctl(["doctor", "--json"], { env })).stdout)).toMatchObject({ valid: true });
  });
});

describe("svcctl --version", () => {
  const config = { status: 200, body: { version_config: { version: "1.2.3" } } };

  it.each(["--version", "-v"])("%s tells its own and the server's", async (flag) => {
    const server = await replay([config]);
    const { code, stdout, stderr } = await svcctl([flag], { env: server.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^svcctl version: \d+\.\d+\.\d+\nserver version: 1\.2\.3\n$/);
    expect(server.asked.map(({ line }) => line)).toEqual(["GET /api/v1/config"]);
  });

  it("asks nobody where nothing is configured", async () => {
    const server = await replay([config]);
    const { stdout } = await svcctl(["-v"], { env: { SVCCTL_SERVER_ENDPOINT_URL: server.url } });
    expect(stdout).toMatch(/^svcctl version: .*\n$/);
    expect(server.asked).toEqual([]);
  });

  it("says why the server's is missing with --verbose only, after one try", async () => {
    const server = await replay([{ status: 500, body: { message: "broken" } }]);
    expect(await svcctl(["-v"], { env: server.env })).toMatchObject({ code: 0, stderr: "" });
    expect(await svcctl(["-v", "--verbose"], { env: server.env })).toMatchObject({
      code: 0,
      stderr: "broken\n",
    });
    expect(server.asked).toHaveLength(2);
  });
});
