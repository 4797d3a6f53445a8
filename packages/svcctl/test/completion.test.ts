import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";
import { HOSTILE_NAMES, homeWithSvcctl } from "./shell-launcher.ts";

const run = promisify(execFile);

async function words(...typed: string[]): Promise<string[]> {
  return wordsWith({}, ...typed);
}

async function wordsWith(env: Record<string, string>, ...typed: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await svcctl(["__complete", "--", ...typed], { env });
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what may come next", () => {
  it("are commands", async () => {
    expect(await words("")).toEqual(
      expect.arrayContaining(["auth", "config", "doctor", "docs", "completion", "help"]),
    );
    expect(await words("")).not.toContain("__complete");
    expect(await words("auth", "us")).toEqual(["users"]);
    expect(await words("--verbose", "auth", "groups", "m")).toEqual(["members"]);
    expect(await words("-c", "auth", "d")).toEqual(["decisions", "diff", "doctor", "docs"]);
  });

  it("are the flags of the command, those of every command among them", async () => {
    const flags = await words("auth", "users", "policies", "list", "--");
    expect(flags).toEqual(
      expect.arrayContaining(["--id", "--effective", "--amount", "--json", "--config", "--help"]),
    );
    expect(flags).not.toContain("--color");
    expect(await words("auth", "users", "list", "--am")).toEqual(["--amount"]);
  });

  it("are values where there are few", async () => {
    expect(await words("auth", "groups", "acl", "set", "--permission", "")).toEqual([
      "Read",
      "Write",
      "Super",
      "Admin",
    ]);
    expect(await words("auth", "groups", "acl", "set", "--permission=W")).toEqual(["--permission=Write"]);
    expect(await words("--log-format", "")).toEqual(["text", "json"]);
    expect(await words("completion", "")).toEqual(["bash", "zsh", "fish"]);
    for (const question of ["can", "who-can", "plan", "simulate"]) {
      expect(await words("auth", question, "--action", "fs:ReadOb")).toEqual(["fs:ReadObject"]);
    }
    expect(await words("plan", "--ma")).toEqual(["--manager", "--markdown"]);
  });

  it.each([
    [["fs", "ls", ""], { results: [{ id: "data" }] }, ["svc://data/"], "/api/v1/repositories?"],
    [
      ["repo", "delete", "svc://d"],
      { results: [{ id: "data" }] },
      ["svc://data"],
      "/api/v1/repositories?prefix=d",
    ],
    [
      ["branch", "show", "svc://data/m"],
      { results: [{ id: "main" }] },
      ["svc://data/main"],
      "/repositories/data/branches?prefix=m",
    ],
    [
      ["tag", "show", "svc://data/v"],
      { results: [{ id: "v1" }] },
      ["svc://data/v1"],
      "/repositories/data/tags?prefix=v",
    ],
    [
      ["fs", "ls", "svc://data/main/a"],
      { results: [{ path: "a/" }, { path: "ab" }] },
      ["svc://data/main/a/", "svc://data/main/ab"],
      "objects/ls?prefix=a&delimiter=",
    ],
  ])("are URIs of the server: %j", async (typed, body, expected, line) => {
    const server = await replay([{ status: 200, body }]);
    expect(await wordsWith(server.env, ...typed)).toEqual(expected);
    expect(server.asked[0]?.line).toContain(line);
    expect(await wordsWith(server.env, "actions", "validate", "")).toEqual([]);
  });

  it("are branches and tags where a reference is wanted", async () => {
    const server = await replay([
      { status: 200, body: { results: [{ id: "main" }] } },
      { status: 200, body: { results: [{ id: "mark" }] } },
    ]);
    const found = await wordsWith(server.env, "diff", "svc://data/main", "svc://data/m");
    expect(found.sort()).toEqual(["svc://data/main", "svc://data/mark"]);
  });

  it("is remembered for some seconds", async () => {
    const server = await replay([{ status: 200, body: { results: [{ id: "data" }] } }]);
    const HOME = temporaryFolder();
    const env = { ...server.env, HOME };
    expect(await wordsWith(env, "fs", "ls", "svc://")).toEqual(["svc://data/"]);
    expect(await wordsWith(env, "fs", "ls", "svc://")).toEqual(["svc://data/"]);
    expect(server.asked).toHaveLength(1);
  });

  it("is left to the shell for other values", async () => {
    expect(await words("auth", "policies", "create", "--statement-document", "")).toEqual([]);
  });
});

describe("names", () => {
  const results = [{ id: "alice" }, { id: "albert" }, { id: "bob" }, { id: "two words" }];
  const page = { status: 200, body: { results, pagination: {} } };

  it.each([
    [["auth", "users", "show", "--id", "al"], "users"],
    [["auth", "can", "--user", "al"], "users"],
    [["auth", "groups", "delete", "--id", "al"], "groups"],
    [["auth", "users", "policies", "attach", "--id", "u", "--policy", "al"], "policies"],
  ])("come from the server: %j", async (typed, list) => {
    const server = await replay([page]);
    expect(await wordsWith(server.env, ...typed)).toEqual(["alice", "albert"]);
    expect(server.asked.map(({ line }) => line)).toEqual([`GET /api/v1/auth/${list}?prefix=al&amount=100`]);
  });

  it("stand behind an equals sign too", async () => {
    const server = await replay([page]);
    expect(await wordsWith(server.env, "auth", "can", "--user=b")).toEqual(["--user=bob"]);
  });

  it("leave out what a shell would split", async () => {
    const server = await replay([page]);
    expect(await wordsWith(server.env, "auth", "can", "--user", "")).toEqual(["alice", "albert", "bob"]);
  });

  it("are none where the server refuses", async () => {
    const server = await replay([{ status: 401, body: { message: "no" } }]);
    expect(await wordsWith(server.env, "auth", "can", "--user", "")).toEqual([]);
  });

  it("of actions and templates ship", async () => {
    expect(await words("auth", "can", "--action", "fs:ReadO")).toEqual(["fs:ReadObject"]);
    expect(await words("auth", "policies", "create", "--template", "repository")).toEqual([
      "repository-read-write",
    ]);
  });
});

describe("svcctl completion", () => {
  it.each(["bash", "zsh", "fish"])("prints a script for %s that asks svcctl", async (shell) => {
    const { code, stdout, stderr } = await svcctl(["completion", shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(" __complete -- ");
  });

  it.each([
    [[], "accepts 1 arg(s), received 0"],
    [["bash", "zsh"], "accepts 1 arg(s), received 2"],
    [["powershell"], 'invalid argument "powershell" for "svcctl completion"'],
  ])("refuses %j", async (args, text) => {
    expect(await svcctl(["completion", ...args])).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: ${text}\n`,
    });
  });
});

describe("in bash", () => {
  /** Returns the words that bash would offer at the end of a line. */
  async function offered(line: string, own: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const script = `
      source <(svcctl completion bash)
      COMP_WORDBREAKS=\${BREAKS-$COMP_WORDBREAKS}
      COMP_LINE=$1 COMP_POINT=\${#1}
      "$(complete -p svcctl | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    // The server that answers is in this process.
    const { stdout, stderr } = await run("bash", ["--norc", "-c", script, "bash", line], {
      env: homeWithSvcctl(own).env,
    });
    expect(stderr).toBe("");
    return stdout.split("\n").filter((word) => word !== "");
  }
  const withBash = it.skipIf(spawnSync("bash", ["--version"]).status !== 0);

  withBash("the tab key finds commands, flags and values", async () => {
    expect(await offered("svcctl auth us")).toEqual(["users"]);
    expect(await offered("svcctl auth users policies ")).toEqual(["list", "attach", "detach", "help"]);
    expect(await offered("svcctl auth users policies list --eff")).toEqual(["--effective"]);
    // Bash keeps what stands before the equals sign.
    expect(await offered("svcctl auth groups acl set --permission=Wr")).toEqual(["Write"]);
    expect(await offered("svcctl auth policies create --statement-document ")).toEqual([]);
  });

  withBash("names are offered as bash has to read them, and none of them is run", async () => {
    const page = { status: 200, body: { results: HOSTILE_NAMES.map((id) => ({ id })), pagination: {} } };
    const found = await offered("svcctl auth users show --id z", (await replay([page])).env);
    expect(found).toHaveLength(HOSTILE_NAMES.length);
    // As bash reads the line that the tab key made of them.
    const { stdout } = await run("bash", ["--norc", "-c", `printf '%s\\n' ${found.join(" ")}`], {
      cwd: temporaryFolder(),
    });
    expect(stdout.split("\n").slice(0, -1)).toEqual(HOSTILE_NAMES);
    // A word that was begun in this way goes on.
    const second = await replay([page]);
    expect(await offered("svcctl auth users show --id z\\$\\(t", second.env)).toEqual([found[0]]);
    expect(second.asked[0]?.line).toContain("prefix=z%24%28t&");
  });

  withBash.each([
    ["--id col:on:", "col:on:name", "name"],
    ["--id=col:on:", "col:on:name", "name"],
    ["--id key=a=", "key=a=b", "b"],
    // The at sign is a part of the word that bash replaces.
    ["--id ada@ex", "ada@example.com", "@example.com"],
    ["--id=ada@ex", "ada@example.com", "@example.com"],
    ["--id ad", "ada@example.com", "ada@example.com"],
  ])("what bash keeps of a word is not repeated: %s", async (typed, id, expected) => {
    const server = await replay([{ status: 200, body: { results: [{ id }], pagination: {} } }]);
    expect(await offered(`svcctl auth users show ${typed}`, server.env)).toEqual([expected]);
  });

  withBash("what bash does not take for the end of a word is repeated", async () => {
    const server = await replay([{ status: 200, body: { results: [{ id: "a@b:c=d" }], pagination: {} } }]);
    const env = { ...server.env, BREAKS: " \t\n" };
    expect(await offered("svcctl auth users show --id a@b:c", env)).toEqual(["a@b:c=d"]);
  });
});

it("the options of the next page are read by a shell as the name that they have", async () => {
  const next = 'a"b\\c$(touch${IFS}made)`touch made`$HOME;d';
  const pagination = { has_more: true, next_offset: next };
  const { env } = await replay([{ status: 200, body: { results: [{ id: next }], pagination } }]);
  const { stderr } = await svcctl(["auth", "users", "list", "-o", "json"], { env });
  const [, options = ""] = /run with (.*), or with --all\n$/.exec(stderr) ?? [];
  const { stdout } = await run("sh", ["-c", `printf '%s\\n' ${options}`], { cwd: temporaryFolder() });
  expect(stdout.split("\n")).toEqual(["--amount", "100", "--after", next, ""]);
});
