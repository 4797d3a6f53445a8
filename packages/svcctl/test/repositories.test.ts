/**
 * Commands on repositories, against answers that a real data server gave to its own tool: they ask the same, and print
 * what that tool printed.
 */
import { parseUri, uriText } from "@svc-authorizer/svcctl/uri/svc-uri.ts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readFixture } from "../../../test/read-fixture.ts";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";

interface Exchange {
  method: string;
  path: string;
  sent?: object;
  status: number;
  answer: unknown;
}

interface Conversation {
  args: string[];
  terminal: boolean;
  exchanges: Exchange[];
  code: number;
  stdout: string;
  stderr: string;
}

const { conversations } = readFixture<{ conversations: Conversation[] }>(
  "conversations/repository-commands.json",
);

/** Method and path without query, and what was sent. */
const called = (method: string, path: string, sent: unknown) => ({ call: `${method} ${path}`, sent });

async function run({ args, terminal, exchanges }: Conversation, more: string[] = []) {
  process.env["TZ"] = "UTC";
  const server = await replay(exchanges.map(({ status, answer }) => ({ status, body: answer })));
  const ran = await svcctl([...args, ...more], {
    env: { ...server.env, SVCCTL_INTERACTIVE: String(terminal), SVCCTL_SERVER_RETRIES_ENABLED: "false" },
  });
  return { ...ran, asked: server.asked };
}

describe("svcctl prints what the data server's own tool prints, and asks the same", () => {
  it.each(conversations.map((one, index) => ({ ...one, title: `${index + 1}: ${one.args.join(" ")}` })))(
    "$title",
    async (one) => {
      const { code, stdout, stderr, asked } = await run(one);
      expect({ code, stdout, stderr }).toEqual({
        code: one.code,
        stdout: one.stdout,
        stderr: one.stderr,
      });
      expect(asked).toHaveLength(one.exchanges.length);
      for (const [index, { method, path, sent }] of one.exchanges.entries()) {
        const { line = "", body } = asked[index] ?? {};
        const [ourMethod = "", ourPath = ""] = line.split(" ");
        expect(called(ourMethod, ourPath.split("?")[0] ?? "", undefined)).toEqual(
          called(method, path.split("?")[0] ?? "", undefined),
        );
        // Fields at their defaults may be left out; those that are sent are the same.
        if (sent !== undefined) expect(sent).toMatchObject(body as object);
      }
    },
  );

  it.each(conversations.filter(({ code }) => code === 0))(
    "prints one JSON document, and the same as YAML: $args",
    async (one) => {
      const json = await run(one, ["-o", "json"]);
      expect(json.code).toBe(0);
      const shown = JSON.parse(json.stdout);
      expect(JSON.stringify(shown)).not.toMatch(/"creation_date":\d/);
      expect(parse((await run(one, ["-o", "yaml"])).stdout)).toEqual(shown);
    },
  );
});

describe("URIs", () => {
  it.each([
    ["svc://example-repo", "repository", { repository: "example-repo", ref: "", path: undefined }],
    ["svc://example-repo/main", "branch", { repository: "example-repo", ref: "main", path: undefined }],
    ["svc://example-repo/main~2", "ref", { repository: "example-repo", ref: "main~2", path: undefined }],
    ["svc://example-repo/main/a/b.c", "path", { repository: "example-repo", ref: "main", path: "a/b.c" }],
    ["svc://example-repo/main/", "path", { repository: "example-repo", ref: "main", path: "" }],
  ] as const)("%s names a %s, and reads back", (text, kind, uri) => {
    expect(parseUri("URI", text, kind, undefined)).toEqual(uri);
    expect(uriText(uri)).toBe(text);
  });

  it.each([
    ["example-repo", "repository", "malformed svc URI: expected svc://REPOSITORY"],
    ["example-repo/main", "branch", "malformed svc URI: expected svc://REPOSITORY/BRANCH"],
    ["example-repo/main", "ref", "malformed svc URI: expected svc://REPOSITORY/REF"],
    ["example-repo/main/a", "path", "malformed svc URI: expected svc://REPOSITORY/REF/PATH"],
    ["http://example-repo", "repository", "malformed svc URI"],
    ["svc://", "repository", "malformed svc URI"],
    ["svc://user@example-repo", "repository", "malformed svc URI"],
    ["svc://Example", "repository", "contains invalid repository name"],
    ["svc://example-repo/main", "repository", "includes a ref part (ref=main)"],
    ["svc://example-repo", "branch", "missing reference part"],
    ["svc://example-repo/a b", "ref", "contains invalid reference name"],
    ["svc://example-repo/main~1", "branch", "contains invalid branch name"],
    ["svc://example-repo/main/x", "branch", "includes a path part"],
    ["svc://example-repo/main", "path", "missing path part"],
  ] as const)("%s is no %s", (text, kind, fault) => {
    expect(() => parseUri("some URI", text, kind, undefined)).toThrow(`some URI `);
    expect(() => parseUri("some URI", text, kind, undefined)).toThrow(fault);
  });

  it("without a scheme stand behind the base, from the option or the variable", async () => {
    const branch = { status: 200, body: { id: "main", commit_id: "abc" } };
    for (const [args, variable] of [
      [["--base-uri", "svc://example-repo", "branch", "show", "/main"], ""],
      [["branch", "show", "main"], "svc://example-repo/"],
    ] as const) {
      const server = await replay([branch]);
      const env = { ...server.env, SVCCTL_BASE_URI: variable };
      const { stdout } = await svcctl(args, { env });
      expect(stdout).toBe("Branch: svc://example-repo/main\nCommit ID: abc\n");
      expect(server.asked[0]?.line).toBe("GET /api/v1/repositories/example-repo/branches/main");
    }
  });
});

describe("an argument that is left out", () => {
  const OK = {
    status: 200,
    body: { id: "main", commit_id: "abc", results: [], pagination: { has_more: false } },
  };
  const asked = async (base: string, ...args: string[]) => {
    const server = await replay([OK, OK]);
    const ran = await svcctl(["--base-uri", base, ...args], {
      env: { ...server.env, SVCCTL_SERVER_RETRIES_ENABLED: "false" },
    });
    return { ...ran, line: server.asked[0]?.line };
  };

  it.each([
    ["svc://example-repo/main/a", ["branch", "show"], "GET /api/v1/repositories/example-repo/branches/main"],
    ["svc://example-repo/main", ["branch", "list"], "GET /api/v1/repositories/example-repo/branches"],
    ["svc://example-repo/main/", ["log"], "GET /api/v1/repositories/example-repo/refs/main/commits"],
    [
      "svc://example-repo/main/a/",
      ["fs", "ls"],
      "GET /api/v1/repositories/example-repo/refs/main/objects/ls",
    ],
    [
      "svc://example-repo",
      ["actions", "runs", "describe", "7"],
      "GET /api/v1/repositories/example-repo/actions/runs/7",
    ],
    ["svc://example-repo/main", ["diff"], "GET /api/v1/repositories/example-repo/branches/main/diff"],
  ])("is that of %s: %j", async (base, args, call) => {
    expect((await asked(base, ...args)).line?.split("?")[0]).toBe(call);
  });

  it.each([
    ["svc://example-repo", ["branch", "show"]],
    ["svc://example-repo/main", ["branch", "delete", "--yes"]],
    ["svc://example-repo/main", ["repo", "delete", "--yes"]],
    ["svc://example-repo/main", ["fs", "rm", "-r"]],
    ["svc://example-repo/main", ["merge", "dev"]],
    ["", ["branch", "show"]],
  ])(
    "is missing where %j does not say it, and where something would be taken away: %j",
    async (base, args) => {
      const { code, stderr, line } = await asked(base, ...args);
      expect({ code, line }).toEqual({ code: 1, line: undefined });
      expect(stderr).toMatch(/^Error: (accepts|requires)/);
    },
  );
});

describe("a time", () => {
  it("of log is RFC 3339, a date or an age", async () => {
    for (const [since, sent] of [
      ["2026-11-22T08:00:00+01:00", "2026-11-22T07:00:00.000Z"],
      ["2026-11-22", "2026-11-22T00:00:00.000Z"],
      ["2h", undefined],
    ] as const) {
      const server = await replay([{ status: 200, body: { results: [], pagination: { has_more: false } } }]);
      await svcctl(["log", "svc://example-repo/main", "--since", since], { env: server.env });
      const time = new URL(server.asked[0]?.line.split(" ")[1] ?? "", "http://x").searchParams.get("since");
      if (sent !== undefined) expect(time).toBe(sent);
      else expect(Math.abs(Date.parse(time ?? "") - (Date.now() - 7_200_000))).toBeLessThan(60_000);
    }
    const { code, stderr } = await svcctl(["log", "svc://example-repo/main", "--since", "yesterday"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Failed to parse 'since'")]);
  });
});

describe("confirmations", () => {
  it.each([
    [["repo", "delete", "svc://example-repo"], "Delete Repository 'example-repo' aborted"],
    [["branch", "delete", "svc://example-repo/dev"], "Delete branch aborted"],
    [["branch", "reset", "svc://example-repo/dev"], "Reset aborted"],
    [["branch", "revert", "svc://example-repo/dev", "dev"], "Revert aborted"],
    [["tag", "delete", "svc://example-repo/v1"], "Delete tag aborted"],
  ])("without a terminal and --yes nothing is asked of the server: %j", async (args, text) => {
    const server = await replay([{ status: 204 }]);
    const { code, stderr } = await svcctl(args, { env: server.env });
    expect(code).toBe(1);
    expect(stderr).toContain(`${text}: no terminal to ask at; --yes answers with yes\n`);
    expect(server.asked).toEqual([]);
  });
});

describe("wrong command lines", () => {
  it.each([
    [["repo", "create", "svc://example-repo"], "Error: accepts 2 arg(s), received 1\n"],
    [["diff"], "Error: accepts between 1 and 2 arg(s), received 0\n"],
    [["branch", "revert", "svc://example-repo/dev"], "Error: requires at least 2 arg(s), only received 1\n"],
    [
      ["branch", "reset", "svc://example-repo/dev", "--prefix", "a", "--object", "b"],
      "Error: --prefix and --object exclude each other\n",
    ],
    [
      ["branch", "reset", "svc://example-repo/dev", "--yes", "--prefix", ""],
      "Error: --prefix is empty: leave it out to reset everything\n",
    ],
    [
      ["auth", "users", "credentials", "create", "--id", ""],
      "Error: --id is empty: leave it out for the current user\n",
    ],
    [
      ["auth", "groups", "members", "add", "--id", "Admins", "--user", ""],
      "Error: --user is empty: leave it out for the current user\n",
    ],
    [
      ["auth", "what-can", "--user", "", "--resource", "arn:svc:fs:::repository/data"],
      "Error: --user is empty: leave it out for the current user\n",
    ],
    [
      ["merge", "svc://example-repo/dev", "svc://other-repo/main"],
      "both references must belong to the same repository\nError executing command.\n",
    ],
    [
      ["merge", "svc://example-repo/dev", "svc://example-repo/main", "--allow-empty-message=false"],
      'commit with no message without specifying the "--allow-empty-message" flag\nError executing command.\n',
    ],
  ])("%j", async (args, stderr) => {
    expect(await svcctl(args)).toMatchObject({ code: 1, stderr });
  });
});

describe("svcctl log", () => {
  it("goes on to the end without --amount, and filters before it counts", async () => {
    const commit = (id: string, parents: string[]) => ({ id, parents, message: id, creation_date: 1 });
    const more = { has_more: true, next_offset: "next" };
    const last = { has_more: false, next_offset: "" };
    const pages = [
      { results: [commit("a", ["x", "y"]), commit("b", ["c"])], pagination: more },
      { results: [commit("c", ["d"]), commit("d", [])], pagination: last },
    ].map((body) => ({ status: 200, body }));
    const idsOf = async (...args: string[]) => {
      const server = await replay(pages);
      const { stdout } = await svcctl(["log", "svc://example-repo/main", "-o", "json", ...args], {
        env: server.env,
      });
      return JSON.parse(stdout).map(({ id }: { id: string }) => id);
    };
    expect(await idsOf()).toEqual(["a", "b", "c", "d"]);
    expect(await idsOf("--no-merges")).toEqual(["b", "c", "d"]);
    expect(await idsOf("--no-merges", "--amount", "2")).toEqual(["b", "c"]);
  });
});
