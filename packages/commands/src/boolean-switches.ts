/** Booleans in variables and files, and as values of switches (`--effective=true`), as `lakectl` reads them. */

import type { Command } from "commander";
import { UsageFailure } from "./failure.ts";

const TRUE: ReadonlySet<string> = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE: ReadonlySet<string> = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** Parses a boolean in the notations of `lakectl`; undefined for any other text. */
export function booleanText(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}

/**
 * Arguments with `--switch=true` turned into `--switch`, and `--switch=false` left out. Only switches of the program
 * are touched, and nothing after `--`.
 * @throws UsageFailure when the value is no boolean
 */
export function booleanSwitches(program: Command, args: readonly string[]): string[] {
  const switches = switchesOf(program);
  const end = args.indexOf("--");
  const [before, after] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end)];
  const rewritten = before.flatMap((argument) => {
    const equals = argument.indexOf("=");
    const name = argument.slice(0, equals);
    if (equals < 0 || !switches.has(name)) return [argument];
    const text = argument.slice(equals + 1);
    const value = booleanText(text);
    if (value === undefined) {
      throw new UsageFailure(
        `invalid argument ${JSON.stringify(text)} for "${name}" flag: parsing ${JSON.stringify(text)}: invalid syntax`,
      );
    }
    if (value) return [name];
    const opposite = name.startsWith("--no-") ? name.replace(/^--no-/, "--") : name.replace(/^--/, "--no-");
    return switches.has(opposite) ? [opposite] : [];
  });
  return [...rewritten, ...after];
}

/** Long names of options that have no value, whatever the command. */
function switchesOf(command: Command): ReadonlySet<string> {
  const switches = new Set<string>();
  const others = new Set<string>();
  const visit = (one: Command): void => {
    for (const { long, required, optional } of one.options) {
      if (long) (required || optional ? others : switches).add(long);
    }
    one.commands.forEach(visit);
  };
  visit(command);
  return switches.difference(others);
}
