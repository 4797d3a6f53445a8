/** The one place where failures of svcctl become text on standard error and an exit code (management-cli.md §1). */

import { CommanderError } from "commander";
import { AuthorizerError, type Problem } from "../../errors.ts";
import { EXIT } from "../exit-codes.ts";
import type { CommandContext } from "./command-context.ts";
import { ApiFailure, UsageFailure, unknownFlagText } from "./failure.ts";

/** Writes the failure; gives the exit code: 1, or 0 where commander only ended after help. */
export function reportFailure(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) {
    // Help that was asked for is no failure, not even help on a word that is no command.
    if (error.exitCode === 0 || error.code === "commander.help") return EXIT.ok;
    context.err(`Error: ${usageText(error)}\n`);
  } else if (error instanceof UsageFailure) {
    context.err([`Error: ${error.message}`, ...error.hints, ""].join("\n"));
  } else if (error instanceof ApiFailure) {
    context.err(`${error.message}\n${error.statusLine}\n`);
  } else {
    const problems = error instanceof AuthorizerError ? error.problems : [];
    for (const problem of problems) context.err(`${problemLine(problem)}\n`);
    context.err(`${error instanceof Error ? error.message : String(error)}\nError executing command.\n`);
  }
  if (context.advice !== undefined) context.err(`\nHint: ${context.advice}\n`);
  return EXIT.failed;
}

function problemLine({ file, line, message, pointer }: Problem): string {
  const where = file === undefined ? pointer : line === undefined ? file : `${file}:${line}`;
  return where === "" ? message : `${where}: ${message}`;
}

/** What commander says, in the words of the original. */
function usageText({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, "");
  const quoted = /'(?<name>[^']*)'(?<rest>[\s\S]*)$/.exec(text)?.groups;
  const { name = "", rest = "" } = quoted ?? {};
  if (code === "commander.unknownOption") return `${unknownFlagText(name)}${suggestionOf(rest)}`;
  if (code === "commander.optionMissingArgument") return `flag needs an argument: ${longName(name)}`;
  if (code === "commander.invalidArgument") return invalidArgument(text) ?? text;
  return text;
}

function suggestionOf(rest: string): string {
  return /\n\(Did you mean .*\)$/.exec(rest)?.[0] ?? "";
}

/** `--config` of `-c, --config <file>`. */
function longName(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** `option '--amount <int>' argument 'x' is invalid. parsing "x": invalid syntax` */
function invalidArgument(text: string): string | undefined {
  const parts = /^option '(?<flags>[^']*)' argument '(?<value>[\s\S]*)' is invalid\. (?<why>[\s\S]*)$/.exec(
    text,
  );
  if (parts?.groups === undefined) return undefined;
  const { flags = "", value = "", why = "" } = parts.groups;
  return `invalid argument ${JSON.stringify(value)} for "${longName(flags)}" flag: ${why}`;
}
