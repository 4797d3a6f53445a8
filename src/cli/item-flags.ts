/** Configuration items on the command line: `--logging.level DEBUG`, `--logging.level=DEBUG`, `--set logging.level=DEBUG`. */

import type { FlagValue } from "../config/load.ts";
import { findItem } from "../config/table.ts";

/** Arguments with the item flags taken out. */
interface SplitArguments {
  readonly rest: readonly string[];
  readonly flags: readonly FlagValue[];
}

/**
 * Takes `--<item>` flags out of the arguments; anything else stays for the command-line parser. A flag without a
 * value stays too, so that the parser reports it.
 */
export function splitItemFlags(args: readonly string[]): SplitArguments {
  const rest: string[] = [];
  const flags: FlagValue[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] as string;
    const equals = argument.indexOf("=");
    const name = argument.startsWith("--") ? argument.slice(2, equals < 0 ? undefined : equals) : "";
    const next = args[index + 1];
    if (findItem(name) === undefined || (equals < 0 && next === undefined)) rest.push(argument);
    else if (equals >= 0) flags.push({ item: name, value: argument.slice(equals + 1), flag: `--${name}` });
    else {
      flags.push({ item: name, value: next as string, flag: `--${name}` });
      index++;
    }
  }
  return { rest, flags };
}

/** Reads one `--set item=value`; undefined when it has no `=`. */
export function parseSetting(setting: string): FlagValue | undefined {
  const equals = setting.indexOf("=");
  if (equals <= 0) return undefined;
  return { item: setting.slice(0, equals), value: setting.slice(equals + 1), flag: "--set" };
}
