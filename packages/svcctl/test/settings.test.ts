import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { runSvcctl } from "@svc-authorizer/svcctl/program.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { replay } from "./replay-server.ts";
import { sink, svcctl } from "./run-svcctl.ts";

const LIST = ["auth", "users", "list"];
const EMPTY = { status: 200, body: { results: [], pagination: {} } };

/** A file in a folder of its own. */
function file(text: string, name = ".svcctl.yaml"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const keyOf = (authorization = "") =>
  Buffer.from(authorization.replace("Basic ", ""), "base64").toString().split(":")[0];

describe("where configuration comes from", () => {
  it("the file in the home folder", async () => {
    const server = await replay([EMPTY]);
    const path = file(`credentials: {access_key_id: in-file}\nserver: {endpoint_url: "${server.url}"}\n`);
    await svcctl(LIST, { env: { HOME: join(path, "..") } });
    expect(keyOf(server.asked[0]?.headers.authorization)).toBe("in-file");
  });

  it("a variable wins over the file, the file of --config over that of SVCCTL_CONFIG_FILE", async () => {
    const server = await replay([EMPTY]);
    const text = (key: string) => `credentials.access_key_id: ${key}\nserver.endpoint_url: ${server.url}\n`;
    const [named, flagged] = [file(text("named")), file(text("flagged"))];
    const run = async (args: string[], env: Record<string, string>) => {
      await svcctl([...LIST, ...args], { env });
      return keyOf(server.asked.at(-1)?.headers.authorization);
    };
    expect(await run([], { SVCCTL_CONFIG_FILE: named })).toBe("named");
    expect(await run(["-c", flagged], { SVCCTL_CONFIG_FILE: named })).toBe("flagged");
    expect(await run(["-c", flagged], { SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "variable" })).toBe("variable");
    expect(await run(["-c", flagged], { SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "" })).toBe("flagged");
  });

  it.each([
    ["missing", undefined],
    ["no YAML", "a: [b"],
  ])("a file that is %s stops --config and nothing else", async (_what, text) => {
    const { env } = await replay([EMPTY]);
    const path = text === undefined ? join(temporaryFolder(), "none.yaml") : file(text);
    expect(await svcctl(LIST, { env: { ...env, SVCCTL_CONFIG_FILE: path } })).toMatchObject({
      code: 0,
      stderr: "",
    });
    const { code, stderr } = await svcctl([...LIST, "-c", path], { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error reading configuration file: .*\nError executing command\.\n$/);
  });

  it.each([
    ["server: {endpoint_uri: x}", 'unknown key "server.endpoint_uri" (did you mean server.endpoint_url?)'],
    ["nonsense: {}", 'unknown key "nonsense"'],
    ["credentials: {access_key_id: 123}", "credentials.access_key_id: must be a string, not a int"],
    [
      "credentials: {secret_access_key: 1.5}",
      "credentials.secret_access_key: must be a string, not a float64",
    ],
    ["server: {endpoint_url: 8000}", "server.endpoint_url: must be a string, not a int"],
    ["credentials: {provider: {type: true}}", "credentials.provider.type: must be a string, not a bool"],
    ["server: {retries: {max_attempts: many}}", "server.retries.max_attempts: expected a integer"],
    ["credentials: {access_key_id: [a]}", "credentials.access_key_id: expected a text, not a list"],
  ])("%s is fatal, wherever the file lies", async (text, message) => {
    const path = file(text);
    const { env } = await replay([EMPTY]);
    const expected = {
      code: 1,
      stderr: `error unmarshal configuration: ${message}\nError executing command.\n`,
    };
    expect(await svcctl([...LIST, "-c", path], { env })).toMatchObject(expected);
    expect(await svcctl(LIST, { env: { ...env, HOME: join(path, "..") } })).toMatchObject(expected);
  });

  it("every item of lakectl is known", async () => {
    const { env } = await replay([EMPTY]);
    const path = file(`
credentials:
  provider: {type: aws_iam, aws_iam: {token_ttl_seconds: 1h, token_request_headers: {a: b}}}
network: {http2: {enabled: false}}
server: {login_retries: {enabled: true, max_attempts: 2}, retries:}
options: {parallelism: 5}
local: {skip_non_regular_files: true, symlink_support: true}
experimental: {local: {posix_permissions: {enabled: true, include_uid: true, include_gid: false}}}
`);
    expect(await svcctl([...LIST, "-c", path], { env })).toMatchObject({ code: 0, stderr: "" });
  });

  it("a faulty variable is fatal and named", async () => {
    const { stderr } = await svcctl(LIST, { env: { SVCCTL_SERVER_RETRIES_ENABLED: "perhaps" } });
    expect(stderr).toContain("SVCCTL_SERVER_RETRIES_ENABLED: expected a boolean");
  });
});

describe("svcctl config without a terminal", () => {
  const read = (path: string) => parse(readFileSync(path, "utf8"));

  it("takes the three values as lines", async () => {
    const path = join(temporaryFolder(), "deep", "svcctl.yaml");
    const stdin = "KEY\nSECRET\nhttps://data.example.com\n";
    expect(await svcctl(["config", "-c", path], { stdin })).toEqual({
      code: 0,
      stdout: `Config file ${path} will be used\n`,
      stderr: "",
    });
    expect(read(path)).toMatchObject({
      credentials: { access_key_id: "KEY", secret_access_key: "SECRET" },
      server: {
        endpoint_url: "https://data.example.com",
        retries: { max_attempts: 4, min_wait_interval: "200ms" },
      },
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("takes options, the secret from standard input", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    const flags = ["--access-key-id", "KEY", "--endpoint-url", "http://h:1", "--secret-access-key-stdin"];
    expect((await svcctl(["config", "-c", path, ...flags], { stdin: "SECRET\n" })).code).toBe(0);
    expect(read(path)).toMatchObject({
      credentials: { access_key_id: "KEY", secret_access_key: "SECRET" },
      server: { endpoint_url: "http://h:1" },
    });
  });

  it.each(["", "\n", " \n"])(
    "writes nothing where the secret was to come and does not: %j",
    async (stdin) => {
      const before = "credentials: {access_key_id: OLD, secret_access_key: KEPT}\n";
      const path = file(before);
      const args = ["config", "-c", path, "--access-key-id", "NEW", "--secret-access-key-stdin"];
      const { code, stderr } = await svcctl(args, { stdin });
      expect([code, stderr]).toEqual([1, expect.stringContaining("standard input has no secret access key")]);
      expect(readFileSync(path, "utf8")).toBe(before);
    },
  );

  it("takes what variables give, and with --json prints only JSON", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    const env = { SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "KEY", SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "SECRET" };
    const { stdout } = await svcctl(["config", "--json", "-c", path], { env });
    expect(JSON.parse(stdout)).toEqual({ file: path });
    expect(read(path).credentials).toEqual({ access_key_id: "KEY", secret_access_key: "SECRET" });
  });

  it("does not wait for lines that nothing needs", async () => {
    const path = join(temporaryFolder(), "svcctl.yaml");
    const flags = ["--access-key-id", "KEY", "--endpoint-url", "http://h:1"];
    const env = { SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "SECRET" };
    const stdin = new PassThrough();
    const edge = { stdin, stdout: sink(), stderr: sink(), cwd: "/" };
    expect(await runSvcctl(["config", "-c", path, ...flags], edge, env)).toBe(0);
    expect(read(path).credentials).toEqual({ access_key_id: "KEY", secret_access_key: "SECRET" });
  });

  it("keeps what is not answered, and every other item", async () => {
    const before =
      "credentials: {access_key_id: OLD, secret_access_key: KEPT}\nserver: {retries: {max_attempts: 9}}\n";
    const path = file(before);
    expect((await svcctl(["config", "-c", path], { stdin: "NEW\n\n\n" })).code).toBe(0);
    expect(read(path)).toMatchObject({
      credentials: { access_key_id: "NEW", secret_access_key: "KEPT" },
      server: { endpoint_url: "http://127.0.0.1:8000", retries: { max_attempts: 9 } },
    });
  });

  it("narrows the mode of a file that others could read, and follows a link to it", async () => {
    const path = file("credentials: {access_key_id: A, secret_access_key: B}\n");
    chmodSync(path, 0o666);
    const link = join(temporaryFolder(), "link.yaml");
    symlinkSync(path, link);
    expect((await svcctl(["config", "-c", link])).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual([".svcctl.yaml"]);
  });

  it.each([
    ["nothing at all", "", "access key id is missing"],
    ["no secret", "KEY\n", "secret access key is missing"],
    ["an endpoint that is none", "KEY\nSECRET\nhost:8000\n", "invalid server.endpoint_url"],
  ])("refuses %s and writes nothing", async (_what, stdin, message) => {
    const folder = temporaryFolder();
    const { code, stderr } = await svcctl(["config", "-c", join(folder, "c.yaml")], { stdin });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["a: [b", "unknown: 1"])("does not overwrite what it cannot understand: %s", async (text) => {
    const path = file(text);
    const { code, stderr } = await svcctl(["config", "-c", path], { stdin: "A\nB\nhttp://h\n" });
    expect(code).toBe(1);
    expect(stderr).toContain("Error executing command.");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  it("says why the file cannot be written", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "taken"));
    const { code, stderr } = await svcctl(["config", "-c", join(folder, "taken")], { stdin: "A\nB\n\n" });
    expect(code).toBe(1);
    expect(stderr).toContain("is a directory");
  });
});
