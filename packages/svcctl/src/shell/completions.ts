/** Finds what may come next on a command line. The completion scripts ask at each press of the tab key. */

import { specOf } from "@svc-authorizer/commands/add-options.ts";
import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { Command, Option } from "commander";
import { SHELLS } from "./completion-scripts.ts";

/** A URI of a data server, as arguments of commands are called. */
export type UriName = "repository-uri" | "branch-uri" | "tag-uri" | "ref-uri" | "path-uri";

/** Names of a kind that begin with what was typed. It never fails: without an answer there are none. */
export type NameSource = (
  kind: NonNullable<OptionSpec["completes"]> | UriName,
  typed: string,
) => Promise<readonly string[]>;

/** One word that may come next. */
export interface Completion {
  readonly word: string;
  readonly description: string;
}

/**
 * The words that may follow. Nothing for values that only their user knows; the scripts then offer files.
 * @param words what stands after `svcctl`; the last one, which may be empty, is being typed
 * @param names knows the names of users, policies and the like
 */
export async function completionsOf(
  program: Command,
  words: readonly string[],
  names: NameSource,
): Promise<readonly Completion[]> {
  const typed = words.at(-1) ?? "";
  let command = program;
  let awaiting: Option | undefined;
  let given = 0;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) awaiting = undefined;
    else if (word.startsWith("-")) awaiting = takesNext(command, word);
    else {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) given += 1;
      command = next ?? command;
    }
  }
  const equals = typed.startsWith("-") ? typed.indexOf("=") : -1;
  const option = equals > 0 ? optionOf(command, typed.slice(0, equals)) : awaiting;
  if (option === undefined && equals > 0) return [];
  const before = typed.slice(0, equals + 1);
  const all =
    option === undefined
      ? [...following(command, typed), ...(await argumentsOf(command, given, typed, names)).map(named)]
      : (await valuesOf(option, typed.slice(before.length), names)).map((value) => named(before + value));
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
  if (typed.startsWith("-")) return flagsOf(command);
  if (command.name() === "completion") return SHELLS.map(named);
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), description: one.description() }));
}

/** Kinds of URIs, by the names of arguments. */
const URIS: readonly (readonly [RegExp, UriName])[] = [
  [/^repository-uri/, "repository-uri"],
  [/^branch-uri/, "branch-uri"],
  [/^path-uri/, "path-uri"],
  [/^tag-uri/, "tag-uri"],
  [/(ref|commit)(-uri|s\.\.\.)?$/, "ref-uri"],
];

/** Values of the argument that is being typed; nothing for other arguments than URIs. */
async function argumentsOf(
  command: Command,
  given: number,
  typed: string,
  names: NameSource,
): Promise<readonly string[]> {
  if (typed.startsWith("-") || command.commands.length > 0) return [];
  const places = [...command.usage().matchAll(/[<[](?!options)([^>\]]+)[>\]]/g)].map(([, name = ""]) => name);
  const place = places[Math.min(given, places.length - 1)] ?? "";
  const [, uri] = URIS.find(([pattern]) => pattern.test(place)) ?? [];
  return uri === undefined || (given >= places.length && !place.endsWith("...")) ? [] : names(uri, typed);
}

function flagsOf(command: Command): readonly Completion[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({ word: option.long ?? option.short ?? "", description: option.description }));
}

async function valuesOf(option: Option, typed: string, names: NameSource): Promise<readonly string[]> {
  const { values, completes } = specOf(option) ?? {};
  if (values !== undefined) return values;
  return completes === undefined ? [] : names(completes, typed);
}

function named(word: string): Completion {
  return { word, description: "" };
}
