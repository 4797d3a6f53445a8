import { beforeAll, describe, expect, it } from "vitest";
import type { AuthCase } from "./auth/case.ts";
import { AUTH_CASES } from "./auth/cases.ts";
import { painted, unpainted } from "./painted.ts";
import { type Answer, type ReplayServer, replay } from "./replay-server.ts";
import { type Finished, type RunOptions, svcctl } from "./run-svcctl.ts";

beforeAll(() => {
  process.env["TZ"] = "UTC";
});

const CAROL: Answer = { status: 200, body: { user: { id: "carol", creation_date: 1 } } };

interface Ran extends Finished {
  server: ReplayServer;
}

/** Runs a case against a server whose last answer is `last`. */
async function run(one: AuthCase, last: Answer, options: RunOptions = {}, more: string[] = []): Promise<Ran> {
  const server = await replay([...one.asks.slice(1).map(() => CAROL), last]);
  const finished = await svcctl(["auth", ...one.args.split(" "), ...more], {
    ...options,
    env: { ...server.env, ...options.env },
    ...(one.stdin !== undefined && { stdin: one.stdin }),
  });
  return { ...finished, server };
}

const success = ({ answer: [status, body] }: AuthCase): Answer => ({ status, body });

describe("each auth command", () => {
  it.each(AUTH_CASES)("asks and prints: $args", async (one) => {
    const onTerminal = await run(one, success(one), { terminal: true });
    expect(onTerminal).toMatchObject({ code: 0, stdout: painted(one.terminal), stderr: "" });
    const { asked } = onTerminal.server;
    expect(asked.map(({ line }) => line.replace(" /api/v1", " "))).toEqual(one.asks);
    expect(asked.at(-1)?.body).toEqual(one.sends);
    const piped = await run(one, success(one));
    expect(piped).toMatchObject({ code: 0, stdout: one.piped ?? unpainted(one.terminal), stderr: "" });
  });

  it.each(AUTH_CASES)("prints JSON with --json: $args", async (one) => {
    const { code, stdout } = await run(one, success(one), { terminal: true }, ["--json"]);
    expect(code).toBe(0);
    const [, body] = one.answer;
    const without = one.args.startsWith("groups acl set") ? one.sends : { message: one.terminal.trimEnd() };
    expect(JSON.parse(stdout)).toEqual(body ?? without);
  });

  it.each([
    [400, "User name cannot contain '%'", "400 Bad Request"],
    [401, "insufficient permissions: not allowed to auth:ListUsers", "401 Unauthorized"],
    [404, "not found", "404 Not Found"],
    [409, "Already exists", "409 Conflict"],
    [501, "", "501 Not Implemented"],
  ])("prints what the server says with a status of %d, and fails", async (status, message, line) => {
    for (const one of AUTH_CASES) {
      const { code, stdout, stderr } = await run(one, { status, body: { message } });
      expect({ code, stdout, stderr }, one.args).toEqual({
        code: 1,
        stdout: "",
        stderr: `${message}\n${line}\n`,
      });
    }
  });

  it("fails on another success than the expected one", async () => {
    for (const one of AUTH_CASES) {
      const { code, stdout, stderr } = await run(one, { status: 202, body: {} });
      const text = `got unexpected status code: 202, expected: ${one.answer[0]}\nError executing command.\n`;
      expect({ code, stdout, stderr }, one.args).toEqual({ code: 1, stdout: "", stderr: text });
    }
  });

  it("fails on a success that is not JSON where JSON is needed", async () => {
    for (const one of AUTH_CASES.filter(
      ({ answer }) => answer[1] !== undefined && !/acl set/.test(answer[0].toString()),
    )) {
      const { code, stdout, stderr } = await run(one, { status: one.answer[0], body: "<html>" });
      const text = "Bad response from server\nError executing command.\n";
      expect({ code, stdout, stderr }, one.args).toEqual({ code: 1, stdout: "", stderr: text });
    }
  });

  it("stops before the call when the current user cannot be asked for", async () => {
    for (const one of AUTH_CASES.filter(({ asks }) => asks[0] === "GET /user")) {
      const server = await replay([{ status: 401, body: { message: "error authenticating request" } }]);
      const { code, stderr } = await svcctl(["auth", ...one.args.split(" ")], { env: server.env });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: "error authenticating request\n401 Unauthorized\n",
      });
      expect(server.asked).toHaveLength(1);
    }
  });
});

describe("required flags", () => {
  it.each([
    ["groups create", '"id"'],
    ["groups delete", '"id"'],
    ["groups acl get", '"id"'],
    ["groups acl set", '"id", "permission"'],
    ["groups members list", '"id"'],
    ["groups members add --user u", '"id"'],
    ["groups members remove", '"id"'],
    ["groups policies list", '"id"'],
    ["groups policies attach", '"id", "policy"'],
    ["groups policies detach --id g", '"policy"'],
    ["policies create", '"id", "statement-document"'],
    ["policies show", '"id"'],
    ["policies delete", '"id"'],
    ["users create", '"id"'],
    ["users delete", '"id"'],
    ["users credentials delete", '"access-key-id"'],
    ["users groups list", '"id"'],
    ["users policies list", '"id"'],
    ["users policies attach", '"id", "policy"'],
    ["users policies detach", '"id", "policy"'],
    ["users aws-iam attach", '"principal-id"'],
    ["users aws-iam detach", '"principal-id"'],
    ["users aws-iam lookup", '"principal-id"'],
    ["can", '"action", "resource"'],
  ])("auth %s misses %s", async (args, names) => {
    const finished = await svcctl(["auth", ...args.split(" ")]);
    expect(finished).toEqual({ code: 1, stdout: "", stderr: `Error: required flag(s) ${names} not set\n` });
  });
});

describe("names", () => {
  it.each(["", ".", ".."])("that lead elsewhere in the path are refused: %j", async (name) => {
    const server = await replay([{ status: 204 }]);
    const { code, stderr } = await svcctl(["auth", "users", "delete", "--id", name], { env: server.env });
    expect(code).toBe(1);
    expect(stderr).toContain(`invalid name ${JSON.stringify(name)}`);
    expect(server.asked).toEqual([]);
  });

  it.each(["%2e%2e", "a/../b", "a?b#c", "ü/日本", "-v", "a b+c"])(
    "reach the server as they are: %s",
    async (name) => {
      const server = await replay([{ status: 204 }]);
      await svcctl(["auth", "users", "delete", "--id", name], { env: server.env });
      const path = server.asked[0]?.line.replace("DELETE /api/v1/auth/users/", "") ?? "";
      expect(path).not.toContain("/");
      expect(decodeURIComponent(path)).toBe(name);
    },
  );

  it("cannot steer the terminal", async () => {
    const results = [{ id: "a\u001b[2J\nb\u202e", creation_date: 0 }];
    const server = await replay([{ status: 200, body: { results, pagination: {} } }]);
    const { stdout } = await svcctl(["auth", "users", "list"], { env: server.env, terminal: true });
    expect(stdout).toContain("a\\u001b[2J\\u000ab\\u202e");
    expect(stdout).not.toContain("\u001b");
  });
});
