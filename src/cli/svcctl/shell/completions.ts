/** What may come next on a command line: asked by the completion scripts at each press of the tab key. */

import type { Command, Option } from "commander";
import { GLOBAL_OPTIONS } from "../global-options.ts";
import { SHELLS } from "./shells.ts";

/** One word that may come next. */
export interface Completion {
  readonly word: string;
  readonly description: string;
}

/**
 * The words that may follow. Nothing for values that only their user knows; the scripts then offer files.
 * @param words what stands after `svcctl`; the last one, which may be empty, is being typed
 */
export function completionsOf(program: Command, words: readonly string[]): readonly Completion[] {
  const typed = words.at(-1) ?? "";
  let command = program;
  let awaiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith("-")) awaiting = takesNext(command, word);
    else command = command.commands.find((one) => one.name() === word) ?? command;
  }
  const all = awaiting === undefined ? following(command, typed) : valuesOf(awaiting, "");
  return all.filter(({ word }) => word.startsWith(typed));
}

/** The option whose value the next word is. */
function takesNext(command: Command, word: string): Option | undefined {
  const option = optionOf(command, word);
  return option?.required === true ? option : undefined;
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find((option) => option.long === flag || option.short === flag);
}

function following(command: Command, typed: string): readonly Completion[] {
  const equals = typed.indexOf("=");
  if (equals > 0) {
    const option = optionOf(command, typed.slice(0, equals));
    return option === undefined ? [] : valuesOf(option, typed.slice(0, equals + 1));
  }
  if (typed.startsWith("-")) return flagsOf(command);
  if (command.name() === "completion") return SHELLS.map(named);
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), description: one.description() }));
}

function flagsOf(command: Command): readonly Completion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({ word: option.long ?? option.short ?? "", description: option.description }));
}

function valuesOf(option: Option, before: string): readonly Completion[] {
  return (VALUES.get(option.long ?? "") ?? []).map((value) => named(`${before}${value}`));
}

function named(word: string): Completion {
  return { word, description: "" };
}

/** Values that are worth offering, by option. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ["--permission", ["Read", "Write", "Super", "Admin"]],
  ...GLOBAL_OPTIONS.flatMap(({ flags, values }) =>
    values === undefined ? [] : [[/--[\w-]+/.exec(flags)?.[0] ?? "", values] as const],
  ),
]);
