/** Words for the errors that commander finds in a command line. */

import { closestName } from "@svc-authorizer/policy/model/closest-name.ts";
import type { CommanderError } from "commander";
import { unknownFlagText } from "./failure.ts";

/**
 * The message of an error that commander found, worded as in spec/management-cli §1.
 * @param flags that every command takes beside those that commander knows
 */
export function usageText({ code, message }: CommanderError, flags: readonly string[] = []): string {
  const text = message.replace(/^error: /, "");
  const quoted = /'(?<name>[^']*)'(?<rest>[\s\S]*)$/.exec(text)?.groups;
  const { name = "", rest = "" } = quoted ?? {};
  if (code === "commander.unknownOption") {
    return `${unknownFlagText(name)}${suggestionOf(rest) || flagLike(name, flags)}`;
  }
  if (code === "commander.optionMissingArgument") return `flag needs an argument: ${longName(name)}`;
  if (code === "commander.invalidArgument") return invalidArgument(text) ?? text;
  return text;
}

function suggestionOf(rest: string): string {
  return /\n\(Did you mean .*\)$/.exec(rest)?.[0] ?? "";
}

function flagLike(flag: string, flags: readonly string[]): string {
  const meant = closestName(flag.replace(/=[\s\S]*$/, ""), flags);
  return meant === undefined ? "" : `\n(Did you mean ${meant}?)`;
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
