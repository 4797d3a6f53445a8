/** What a command of svcctl is, as data: cheap to build for every run, since help and completion need all of them. */

import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";

/** One option of a command. */
export interface OptionSpec {
  /** In commander's notation: `--id <string>`, `-c, --config <file>`, `--json`. */
  readonly flags: string;
  readonly description: string;
  /** Without it the command is refused. */
  readonly required?: true;
  /** "integer" is checked on the command line; "list" may be repeated and split at commas, "repeated" not split. */
  readonly kind?: "integer" | "list" | "repeated";
  readonly default?: string | number;
  /** What shells complete and help shows; other values are for the server to judge. */
  readonly values?: readonly string[];
  /** Left out of help, completion and the reference. */
  readonly hidden?: true;
}

/** Values of a command's options by their camel-case names; integers are numbers, lists arrays, switches true. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** One run of a command. */
export interface CommandCall {
  readonly context: CommandContext;
  readonly options: OptionValues;
  /** Positional arguments. */
  readonly args: readonly string[];
  /** The command that runs; above it are all others. */
  readonly command: Command;
}

/** What a command does. A failure is thrown. */
export type CommandRun = (call: CommandCall) => Promise<void>;

/** A command that does something. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  /** What may stand after its name, for the help text: the most usual call first. */
  readonly examples: readonly string[];
  readonly options?: readonly OptionSpec[];
  /** Positional arguments in commander's notation, such as `[outfile]`. Without it they are silently ignored. */
  readonly arguments?: string;
  /** Loads the module that does it, which no other command needs. */
  readonly load: () => Promise<CommandRun>;
}

/** A command that only holds others. */
export interface GroupSpec {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly (CommandSpec | GroupSpec)[];
}

/** A text option; undefined where it was not given. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}
