/** Every command of the reference exists with its arguments and options. */
import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { CommandContext } from "@svc-authorizer/svcctl/command-context.ts";
import { buildProgram } from "@svc-authorizer/svcctl/program.ts";
import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { sink } from "./run-svcctl.ts";

interface Reference {
  global: string[];
  commands: { command: string; arguments: string; options: string[] }[];
}

const FILE = new URL("../../../fixtures/conversations/reference-commands.json", import.meta.url);
const REFERENCE: Reference = JSON.parse(readFileSync(FILE, "utf8"));

const edge = { stdin: new PassThrough(), stdout: sink(), stderr: sink(), cwd: "/" };
const program = buildProgram(new CommandContext(edge, {}, "1.0.0"));

function find(path: string): Command | undefined {
  let found: Command | undefined = program;
  for (const word of path.split(" ")) found = found?.commands.find((one) => one.name() === word);
  return found;
}

/** `-p, --parallelism int = 25`. */
function parsed(text: string) {
  const parts = /^(?:-(?<short>\w), )?--(?<long>[\w-]+)(?: (?<type>\w+))?(?: = (?<value>.*))?$/.exec(
    text,
  )?.groups;
  if (parts === undefined) throw new Error(`unreadable option ${text}`);
  return parts;
}

function compare(option: Option | undefined, text: string) {
  const { short, long, type, value } = parsed(text);
  const negated = long?.startsWith("no-") === true;
  expect(option, text).toBeDefined();
  expect({ short: option?.short?.slice(1), takesValue: option?.required, negate: option?.negate }).toEqual({
    short,
    takesValue: type !== undefined,
    negate: negated,
  });
  if (value !== undefined) expect(String(option?.defaultValue)).toBe(value);
  else if (!negated) expect([undefined, false]).toContain(option?.defaultValue);
}

describe("the reference", () => {
  it("has 104 commands", () => {
    expect(REFERENCE.commands).toHaveLength(104);
    expect(new Set(REFERENCE.commands.map(({ command }) => command)).size).toBe(104);
  });

  it.each(REFERENCE.global)("every command takes %s", (text) => {
    const { long } = parsed(text);
    compare(
      program.options.find((option) => option.long === `--${long}`),
      text,
    );
    const list = find("auth users list");
    // The version is that of the program alone.
    if (long !== "version")
      compare(
        list?.options.find((option) => option.long === `--${long}`),
        text,
      );
  });

  it.each(REFERENCE.commands)("svcctl $command", ({ command: path, arguments: given, options }) => {
    const command = find(path);
    if (command === undefined) throw new Error(`${path} is missing`);
    const wanted = given.match(/\[?<[^>]*>(?:\.\.\.)?\]?|\[[^\]]*\]/g) ?? [];
    const usage = command.usage().match(/\[(?!options)[^\]]*\]|<[^>]*>/g) ?? [];
    if (path !== "cat-sst") expect(usage.length).toBeGreaterThanOrEqual(Math.min(wanted.length, 1));
    for (const text of options) {
      compare(
        command.options.find((option) => option.long === `--${parsed(text)["long"]}`),
        text,
      );
    }
  });
});
