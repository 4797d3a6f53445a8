/**
 * Describes commands as data. Each run of a program builds all its commands, because help and completion need them; the
 * module that does the work is loaded when its command runs.
 */

import type { Command } from "commander";

/** The part of a program's shared context that the framework uses. */
export interface CommandOutput {
  /** Writes to standard output, as is. */
  out(text: string): void;
  /** Writes to standard error, as is. */
  err(text: string): void;
  /** Exit code of the program and of a group that are called without a command; 0 counts as asking for help. */
  readonly codeWithoutCommand: number;
  /** Commands without `argumentCount` ignore arguments that they do not take, instead of failing. */
  readonly ignoresFurtherArguments: boolean;
  /** Ends the call with an exit code. */
  finish(code: number): void;
  /** Returns the value of a first argument that was left out, by its name in the help; undefined where there is none. */
  leftOut?(argument: string): string | undefined;
}

/** One option of a command. */
export interface OptionSpec {
  /** In commander's notation: `--id <string>`, `-c, --config <file>`, `--json`. */
  readonly flags: string;
  readonly description: string;
  /** The command fails without it. */
  readonly required?: true;
  /** With `required`: the camel-case name of another option beside which this one is not needed. */
  readonly unless?: string;
  /** "integer" is checked on the command line; "list" may be repeated and splits at commas, "repeated" does not split. */
  readonly kind?: "integer" | "list" | "repeated";
  readonly default?: string | number | boolean;
  /** Values that shells complete. The server judges other values. */
  readonly values?: readonly string[];
  /** With `values`: any other value is an error of the command line. */
  readonly closed?: true;
  /** Shells complete names of this kind: actions and templates that ship, the others from the server. */
  readonly completes?: "user" | "group" | "policy" | "action" | "template";
  /** Left out of help, completion and the reference. */
  readonly hidden?: true;
}

/** Values of a command's options by their camel-case names; integers are numbers, lists arrays, switches true. */
export type OptionValues = Readonly<Record<string, unknown>>;

/** One run of a command. */
export interface CommandCall<Context> {
  readonly context: Context;
  readonly options: OptionValues;
  /** Positional arguments. */
  readonly args: readonly string[];
  /** The command that runs; its parents are the groups above it. */
  readonly command: Command;
}

/** The implementation of a command. It throws when it fails. */
export type CommandRun<Context> = (call: CommandCall<Context>) => Promise<void> | void;

/** The positional arguments of a command. */
export interface ArgumentSpec {
  /** In commander's notation, such as `[outfile]`. Without `argumentCount`, the program decides about further ones. */
  readonly arguments?: string;
  /** Fewest and most arguments; another number is an error of the command line. */
  readonly argumentCount?: readonly [least: number, most: number];
  /** The command takes something away: its arguments are never filled in. */
  readonly mustName?: true;
}

/** A command that does something. */
export interface CommandSpec<Context> extends ArgumentSpec {
  readonly name: string;
  readonly description: string;
  /** Arguments and flags of example calls for the help text, the most usual first. */
  readonly examples: readonly string[];
  readonly options?: readonly OptionSpec[];
  /** Page of `docs/` that the help names, where it is not that of the group. */
  readonly page?: string;
  /** Flags behind the first argument belong to that argument. */
  readonly passThrough?: true;
  /** Further lines of the help text, before the examples. Called only when the help is printed. */
  readonly helpLines?: () => readonly string[];
  /** Loads the module that does the work. */
  readonly load: () => Promise<CommandRun<Context>>;
}

/** A command that only contains others. */
export interface GroupSpec<Context> {
  readonly name: string;
  readonly description: string;
  /** Page of `docs/` that the help of its commands names, where it is not that of the program. */
  readonly page?: string;
  readonly commands: readonly (CommandSpec<Context> | GroupSpec<Context>)[];
}

/** A text option; undefined where it was not given. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}
