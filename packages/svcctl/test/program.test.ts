import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { svcctl } from "./run-svcctl.ts";

describe("help", () => {
  it("is what svcctl alone prints", async () => {
    const { code, stdout, stderr } = await svcctl([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: svcctl \[command\]$/m);
    expect(stdout).toMatch(/^ {2}auth \[command\] +Manages/m);
  });

  it.each([["--help"], ["-h"], ["help"]])("comes with %s", async (argument) => {
    expect(await svcctl([argument])).toEqual(await svcctl([]));
  });

  it.each([
    ["auth"],
    ["auth groups"],
    ["auth groups acl"],
    ["auth groups members"],
    ["auth groups policies"],
    ["auth policies"],
    ["auth users"],
    ["auth users credentials"],
    ["auth users groups"],
    ["auth users policies"],
    ["auth users aws-iam"],
  ])("is what the group %s prints, in all ways to ask for it", async (group) => {
    const words = group.split(" ");
    const plain = await svcctl(words);
    expect(plain).toMatchObject({ code: 0, stderr: "" });
    expect(plain.stdout).toContain(`Usage: svcctl ${group} [command]`);
    expect(await svcctl([...words, "--help"])).toEqual(plain);
    expect(await svcctl([...words, "help"])).toEqual(plain);
    expect((await svcctl([...words, "help", "list"])).code).toBe(0);
  });

  it("of a command lists its options, its defaults and the global ones, and asks nobody", async () => {
    const { code, stdout } = await svcctl(["auth", "users", "list", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--amount <int> +number of results \(default: 100\)/);
    expect(stdout).toMatch(/Global options:[\s\S]*-c, --config <file>/);
  });
});

describe("a mistyped command", () => {
  it.each([
    [["auth", "user"], '"user" for "svcctl auth"', "users"],
    [["auth", "usrs", "list"], '"usrs" for "svcctl auth"', "users"],
    [["auth", "usrs", "list", "--amount", "3"], '"usrs" for "svcctl auth"', "users"],
    [["auth", "users", "lst", "--no-such-flag"], '"lst" for "svcctl auth users"', "list"],
    [["policy", "lnt", "DIR"], '"lnt" for "svcctl policy"', "lint"],
    [["policy", "--verbose", "lnt", "--strict"], '"lnt" for "svcctl policy"', "lint"],
  ])("of a group fails, and names the word and not the flags behind it: %j", async (args, what, meant) => {
    const [, group] = /for "(.*)"/.exec(what) ?? [];
    const lines = [
      `Error: unknown command ${what}`,
      `Did you mean ${meant}?`,
      `Run '${group} --help' for usage.`,
    ];
    expect(await svcctl(args)).toEqual({ code: 1, stdout: "", stderr: `${lines.join("\n")}\n` });
  });

  it("is like no command: then nothing is suggested", async () => {
    const { code, stderr } = await svcctl(["auth", "zzzzzzzz", "--id", "x"]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Error: unknown command "zzzzzzzz" for "svcctl auth"\nRun 'svcctl auth --help' for usage.\n`,
    });
  });
});

describe("a command line that is wrong", () => {
  const usage = (text: string) => ({ code: 1, stdout: "", stderr: `Error: ${text}\n` });

  it("names the unknown command, and what may have been meant", async () => {
    const hint = "\n\nDid you mean this?\n\tauth\n\nRun 'svcctl --help' for usage.";
    expect(await svcctl(["atuh"])).toEqual(usage(`unknown command "atuh" for "svcctl"${hint}`));
    expect(await svcctl(["zzzzzzzz", "--id", "x"])).toEqual(
      usage(`unknown command "zzzzzzzz" for "svcctl"\nRun 'svcctl --help' for usage.`),
    );
  });

  it.each([
    [["--x"], "unknown flag: --x"],
    [["--verson"], "unknown flag: --verson\n(Did you mean --version?)"],
    [["auth", "users", "list", "--x=1"], "unknown flag: --x"],
    [["auth", "users", "list", "-x"], "unknown shorthand flag: 'x' in -x"],
    [["auth", "users", "list", "--amuont", "1"], "unknown flag: --amuont\n(Did you mean --amount?)"],
    [["auth", "users", "list", "--amount"], "flag needs an argument: --amount"],
    [["auth", "users", "list", "-c"], "flag needs an argument: --config"],
    [
      ["auth", "users", "list", "--amount", "1.5"],
      'invalid argument "1.5" for "--amount" flag: parsing "1.5": invalid syntax',
    ],
    [
      ["auth", "users", "policies", "list", "--effective=maybe"],
      'invalid argument "maybe" for "--effective" flag: parsing "maybe": invalid syntax',
    ],
    [["auth", "--version"], "unknown flag: --version"],
  ])("is refused: %j", async (args, text) => {
    expect(await svcctl(args)).toEqual(usage(text));
  });
});

describe("positional arguments of a command without any", () => {
  it("are ignored, as lakectl does", async () => {
    const { stderr } = await svcctl(["auth", "users", "create", "bob", "--", "--id", "x"]);
    expect(stderr).toBe('Error: required flag(s) "id" not set\n');
  });
});

describe("global options", () => {
  const before = ["--config", "no/such.yaml", "auth", "users", "list"];
  const middle = ["auth", "--config=no/such.yaml", "users", "list"];
  const after = ["auth", "users", "list", "-c", "no/such.yaml"];
  it.each([{ args: before }, { args: middle }, { args: after }])(
    "count wherever they stand: $args",
    async ({ args }) => {
      const { code, stderr } = await svcctl(args, { cwd: "/nowhere" });
      expect(code).toBe(1);
      expect(stderr).toBe(
        "error reading configuration file: open no/such.yaml: no such file or directory\nError executing command.\n",
      );
    },
  );

  it("given twice, the nearest to the command counts", async () => {
    const { stderr } = await svcctl(["-c", "/far.yaml", "auth", "users", "list", "-c", "/near.yaml"]);
    expect(stderr).toContain("open /near.yaml:");
  });
});

describe("svcctl docs", () => {
  it("prints the reference, or writes it to a file", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await svcctl(["docs"]);
    expect(code).toBe(0);
    expect(stdout).toContain("## auth users credentials create\n");
    expect(await svcctl(["docs", "reference.md"], { cwd: folder })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(join(folder, "reference.md"), "utf8")).toBe(stdout);
  });

  it("docs/svcctl-reference.md is what it prints: npm run -s svcctl -- docs docs/svcctl-reference.md", async () => {
    const { readFileSync } = await import("node:fs");
    const page = join(import.meta.dirname, "..", "..", "..", "docs", "svcctl-reference.md");
    expect((await svcctl(["docs"])).stdout).toBe(readFileSync(page, "utf8"));
  });

  it("fails where the file cannot be written", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    const { code, stderr } = await svcctl(["docs", join(folder, "file", "x.md")]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^open .*x\.md: not a directory\nError executing command\.\n$/);
  });

  it("prints the commands as JSON", async () => {
    const { stdout } = await svcctl(["docs", "--json"]);
    const { commands } = JSON.parse(stdout);
    expect(commands.map(({ path }: { path: string }) => path)).toContain("svcctl auth");
  });
});

describe("terminal mode", () => {
  const look = async (terminal: boolean, env: Record<string, string>, args: string[] = []) => {
    const { stdout } = await svcctl(["doctor", ...args], {
      terminal,
      env: { SVCCTL_SERVER_ENDPOINT_URL: "nonsense", ...env },
    });
    return stdout.startsWith("\u001b[91mIt looks");
  };

  it.each([
    [true, {}, [], true],
    [false, {}, [], false],
    [true, { SVCCTL_INTERACTIVE: "false" }, [], false],
    [false, { SVCCTL_INTERACTIVE: "1" }, [], true],
    [true, { SVCCTL_INTERACTIVE: "nonsense" }, [], true],
    [false, { SVCCTL_INTERACTIVE: "nonsense" }, [], false],
    [true, { NO_COLOR: "1" }, [], false],
    [true, { NO_COLOR: "0" }, [], true],
    [true, { NO_COLOR: "" }, [], true],
    [true, { SVCCTL_INTERACTIVE: "1" }, ["--no-color"], false],
    [true, { NO_COLOR: "1" }, ["--no-color=false"], true],
  ])("terminal %s, %j, %j: %s", async (terminal, env, args, expected) => {
    expect(await look(terminal, env, args)).toBe(expected);
  });
});
