/** `--output`, `--all`, and the commands that show one thing. */

import { VERSION } from "@svc-authorizer/commands/new-program.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

const AT = 1682935200;
const RFC = "2023-05-01T10:00:00Z";
const LAST = { has_more: false, next_offset: "", results: 2, max_per_page: 1000 };
const USERS = [
  { id: "alice", creation_date: AT, friendly_name: 'Alice, "A."', email: "alice@example.com" },
  { id: "bob", creation_date: AT + 0.5 },
];
const page = (results: unknown[], pagination: object = LAST) => ({
  status: 200,
  body: { pagination, results },
});
const LIST = ["auth", "users", "list"];
const RECORDS = [
  { id: "alice", name: 'Alice, "A."', creation_date: RFC },
  { id: "bob", name: "bob", creation_date: "2023-05-01T10:00:00.500Z" },
];

async function list(args: string[], answers = [page(USERS)]) {
  const server = await replay(answers);
  return { ...(await svcctl([...LIST, ...args], { env: server.env })), asked: server.asked };
}

describe("--output of a list", () => {
  it("json has the names of the columns and RFC 3339 dates, wherever the option stands", async () => {
    expect(JSON.parse((await list(["-o", "json"])).stdout)).toEqual(RECORDS);
    const server = await replay([page(USERS)]);
    const { stdout } = await svcctl(["--output=json", ...LIST], { env: server.env });
    expect(JSON.parse(stdout)).toEqual(RECORDS);
  });

  it("yaml has the same", async () => {
    expect(parse((await list(["-o", "yaml"])).stdout)).toEqual(RECORDS);
  });

  it.each(["1.1", "1.2"] as const)("yaml keeps names names for readers of YAML %s", async (version) => {
    const names = [
      "no",
      "On",
      "y",
      "~",
      "1:30",
      "1_000",
      "0o17",
      "017",
      "0b1",
      "1e5",
      "2026-11-30",
      RFC,
      "<<",
      "=",
    ];
    const users = names.map((id) => ({ id, creation_date: AT }));
    const text = (await list(["-o", "yaml"], [page(users)])).stdout;
    expect(parse(text, { version })).toEqual(names.map((id) => ({ id, name: id, creation_date: RFC })));
  });

  it("yaml has no signs as they are that end a line or are not allowed in YAML 1.1", async () => {
    const signs = ["\t", "\u007f", "\u0085", "\u2028", "\u2029", "\ufeff", "\uffff"];
    const names = [...signs.flatMap((sign) => [sign, `a${sign}b`, `a${sign}`, `${sign}b c\n d`]), "="];
    const users = names.map((id) => ({ id, creation_date: AT, [`own ${id}`]: id }));
    const text = (await list(["-o", "yaml"], [page(users)])).stdout;
    expect(text).not.toMatch(/[\t\u007f-\u009f\u2028\u2029\ufeff\uffff]|: =/);
    expect(parse(text)).toEqual(names.map((id) => ({ id, name: id, creation_date: RFC })));
  });

  it("csv has a line of names, and quotes what needs it", async () => {
    expect((await list(["-o", "csv"])).stdout).toBe(
      `id,name,creation_date\r\nalice,"Alice, ""A.""",${RFC}\r\nbob,bob,2023-05-01T10:00:00.500Z\r\n`,
    );
    expect((await list(["-o", "csv"], [page([])])).stdout).toBe("id,name,creation_date\r\n");
  });

  it("table is the default", async () => {
    expect((await list(["-o", "table"])).stdout).toBe((await list([])).stdout);
  });

  it("says on standard error that there is more", async () => {
    const more = { ...LAST, has_more: true, next_offset: "bob" };
    const { stdout, stderr } = await list(["-o", "json"], [page(USERS, more)]);
    expect(JSON.parse(stdout)).toEqual(RECORDS);
    expect(stderr).toBe('more results: run with --amount 100 --after "bob", or with --all\n');
  });

  it("has one record for each statement of attached policies", async () => {
    const statement = [{ effect: "allow", action: ["fs:Read*", "fs:List*"], resource: "*" }];
    const server = await replay([page([{ id: "P", creation_date: AT, statement }])]);
    const { stdout } = await svcctl(["auth", "users", "policies", "list", "--id", "u", "-o", "json"], {
      env: server.env,
    });
    expect(JSON.parse(stdout)).toEqual([{ policy: "P", creation_date: RFC, statement: 0, ...statement[0] }]);
  });

  it.each(["users", "groups"])("shows the conditions of statements: %s", async (of) => {
    const condition = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    const base = { effect: "allow", action: ["fs:*"], resource: "*" };
    const statement = [{ ...base, condition, sid: "Office" }, base];
    const list = async (format: string): Promise<string> => {
      const server = await replay([page([{ id: "P", creation_date: AT, statement }])]);
      const args = ["auth", of, "policies", "list", "--id", "u", "-o", format];
      return (await svcctl(args, { env: server.env })).stdout;
    };
    const row = { policy: "P", creation_date: RFC, ...base };
    expect(JSON.parse(await list("json"))).toEqual([
      { ...row, statement: 0, condition, sid: "Office" },
      { ...row, statement: 1 },
    ]);
    expect((await list("table")).split("\n").map((line) => line.split("\t")[6])).toEqual([
      JSON.stringify(condition),
      "",
      undefined,
      undefined,
    ]);
    const [head, first] = (await list("csv")).split("\r\n");
    expect(head).toBe("policy,creation_date,statement,resource,effect,action,condition");
    expect(first).toContain('""SourceIp"":[""10.0.0.0/8""]');
  });

  it.each([
    [
      ["auth", "users", "credentials", "list", "--id", "u"],
      { access_key_id: "K", creation_date: AT, expires_at: AT },
      { access_key_id: "K", creation_date: RFC, expires_at: RFC },
    ],
    [
      ["auth", "users", "sessions", "list", "--id", "u"],
      { id: "s", how: "access_key", created_at: AT, expires_at: AT },
      { id: "s", how: "access_key", created_at: RFC, expires_at: RFC },
    ],
    [
      ["mirror", "list"],
      {
        name: "m",
        created_at: AT,
        progress: { oldest_pending_at: AT, acted_at: null, lag_seconds: 5 },
        heads: [{ branch: "main", since: AT }],
      },
      {
        name: "m",
        created_at: RFC,
        progress: { oldest_pending_at: RFC, acted_at: null, lag_seconds: 5 },
        heads: [{ branch: "main", since: RFC }],
      },
    ],
  ])("has every time in RFC 3339: %j", async (args, item, record) => {
    const server = await replay([page([item])]);
    const { stdout } = await svcctl([...args, "-o", "json"], { env: server.env });
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining(record)]);
  });

  it("refuses another format", async () => {
    const { code, stderr } = await list(["-o", "xml"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Error: invalid argument "xml" for "--output" flag: expected one of table, json, yaml, csv\n',
    });
  });
});

describe("--all", () => {
  const first = page([USERS[0]], { ...LAST, has_more: true, next_offset: "alice" });

  it("fetches page after page and prints one list", async () => {
    const { stdout, asked } = await list(["--all", "-o", "json"], [first, page([USERS[1]])]);
    expect(JSON.parse(stdout)).toEqual(RECORDS);
    expect(asked.map(({ line }) => line)).toEqual([
      "GET /api/v1/auth/users?amount=1000",
      "GET /api/v1/auth/users?after=alice&amount=1000",
    ]);
  });

  it("ends when a server gives the same page again", async () => {
    const { code, stderr } = await list(["--all"], [first]);
    expect(code).toBe(1);
    expect(stderr).toContain("the same page again");
  });
});

describe("commands that show one thing", () => {
  it.each<[string[], object, string, string]>([
    [
      ["auth", "users", "show", "--id", "alice"],
      USERS[0] as object,
      "GET /api/v1/auth/users/alice",
      'ID: alice\nUser: Alice, "A."\nCreation Date: 2023-05-01 10:00:00 +0000 UTC\n',
    ],
    [
      ["auth", "groups", "show", "--id", "G"],
      { id: "G", name: "Readers", creation_date: AT },
      "GET /api/v1/auth/groups/G",
      "ID: G\nGroup Name: Readers\nCreation Date: 2023-05-01 10:00:00 +0000 UTC\n",
    ],
    [["whoami"], { user: { id: "carol", creation_date: AT } }, "GET /api/v1/user", "carol\n"],
    [
      ["version"],
      { version_config: { version: "1.2.3" } },
      "GET /api/v1/config",
      `svcctl version: ${VERSION}\nserver version: 1.2.3\n`,
    ],
  ])("%j", async (args, body, line, text) => {
    process.env["TZ"] = "UTC";
    const server = await replay([{ status: 200, body }]);
    const run = (...more: string[]) => svcctl([...args, ...more], { env: server.env });
    expect(await run()).toEqual({ code: 0, stdout: text, stderr: "" });
    expect(server.asked[0]?.line).toBe(line);
    const shown = JSON.parse((await run("-o", "json")).stdout);
    const { creation_date: date = RFC } = shown;
    expect(date).toBe(RFC);
    expect(parse((await run("-o", "yaml")).stdout)).toEqual(shown);
  });

  it("version fails where the server does not know the key; --version does not", async () => {
    const server = await replay([{ status: 401, body: { message: "error authenticating request" } }]);
    expect((await svcctl(["version"], { env: server.env })).code).toBe(1);
    expect((await svcctl(["--version"], { env: server.env })).code).toBe(0);
  });
});
