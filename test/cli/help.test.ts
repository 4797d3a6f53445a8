/** Every help text shows how its command is called, and where to read on. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathOf } from "@svc-authorizer/commands/new-program.ts";
import { CommandContext } from "@svc-authorizer/svcctl/command-context.ts";
import { buildProgram } from "@svc-authorizer/svcctl/program.ts";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { sink, svcctl } from "../../packages/svcctl/test/run-svcctl.ts";
import { runAuthorizer } from "../../src/cli/program.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

/** Lines below "Examples:". */
function examplesOf(help: string): string[] {
  const [, block = ""] = /^Examples:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  return block.split("\n").flatMap((line) => (line === "" ? [] : [line.trim()]));
}

function expectPage(help: string): void {
  const [page = ""] = /(?<=^Read on: .*docs\/)[\w-]+\.md/m.exec(help) ?? [];
  expect(existsSync(join(DOCS, page)) && page !== "", `${page} of ${help}`).toBe(true);
}

const edge = { stdin: new PassThrough(), stdout: sink(), stderr: sink(), cwd: "/" };
const commands = (parent: Command): Command[] =>
  parent.commands.flatMap((one) => (one.name().startsWith("_") ? [] : [one, ...commands(one)]));
const program = buildProgram(new CommandContext(edge, {}, "0"));
const SVCCTL = [program, ...commands(program)].map((command) => pathOf(command));

describe("svcctl", () => {
  it.each(SVCCTL)("%s --help has examples that the command line takes", async (path) => {
    const { stdout } = await svcctl([...path.split(" ").slice(1), "--help"]);
    expectPage(stdout);
    const examples = examplesOf(stdout);
    expect(examples.length, stdout).toBeGreaterThan(0);
    for (const example of examples) {
      expect(example).toMatch(new RegExp(`(^|<\\()${path}( |\\)|$)`));
      const words =
        example
          .replace(/^source <\(|\)$/g, "")
          .split(/ [<|] /)[0]
          ?.split(" ") ?? [];
      const flags = words.filter((word) => word.startsWith("--"));
      expect(await optionsOf(words), example).toEqual(expect.arrayContaining(flags));
    }
  });
});

/** Options of the command that a command line runs. */
async function optionsOf(words: readonly string[]): Promise<string[]> {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  const { stdout } = await svcctl([...words.slice(1, end < 0 ? undefined : end), "--help"]);
  return stdout.match(/^ {2}(?:-\w, )?--[a-z-]+/gm)?.map((line) => line.replace(/^ {2}(-\w, )?/, "")) ?? [];
}

const AUTHORIZER = [
  "",
  "run",
  "config",
  "config show",
  "config validate",
  "config docs",
  "load",
  "sync",
  "export",
  "setup",
  "superuser",
  "set-up",
  "set-up token",
  "history",
  "restore",
  "journal",
  "journal copy",
  "journal accept",
  "journal lost",
  "journal lost show",
  "journal lost apply",
  "journal upgrade",
  "reset",
  "check-store",
  "backup",
  "rotate-key",
  "import",
  "decision-log",
  "decision-log verify",
];

describe("svc-authorizer", () => {
  async function help(path: string): Promise<string> {
    let text = "";
    const out = { write: (part: string) => (text += part) };
    const quiet = { stdout: out, stderr: out, onStop: () => {}, onReload: () => {}, abort: () => {} };
    expect(await runAuthorizer([...path.split(" ").filter(Boolean), "--help"], quiet, {})).toBe(0);
    return text;
  }

  it("these are all commands", async () => {
    const listed = [...(await help("")).matchAll(/^ {2}([a-z][a-z-]+)(?= [[<]| {2})/gm)].map(
      ([, name]) => name,
    );
    expect(listed.filter((name) => name !== "help")).toEqual(
      AUTHORIZER.filter((path) => path !== "" && !path.includes(" ")),
    );
  });

  it.each(AUTHORIZER)("%s --help has examples and a page", async (path) => {
    const text = await help(path);
    expectPage(text);
    expect(examplesOf(text).length).toBeGreaterThan(0);
    for (const example of examplesOf(text)) expect(example).toContain("svc-authorizer ");
  });
});
