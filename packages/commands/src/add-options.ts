/** Puts options given as data on commander's commands. */

import { type Command, InvalidArgumentError, Option } from "commander";
import type { OptionSpec } from "./command-spec.ts";

/** Adds options to a command, under a heading of its help text where one is given. */
export function addOptions(command: Command, specs: readonly OptionSpec[], heading?: string): void {
  for (const option of toOptions(specs, heading)) command.addOption(option);
}

/** Commander's options. They hold no values, so that many commands may share them. */
export function toOptions(specs: readonly OptionSpec[], heading?: string): readonly Option[] {
  return specs.map((spec) => {
    const option = new Option(spec.flags, description(spec));
    if (spec.default !== undefined) option.default(spec.default);
    if (spec.closed === true) option.argParser((text) => oneOf(spec.values ?? [], text));
    if (spec.kind === "integer") option.argParser(parseInteger);
    if (spec.kind === "list") option.argParser((text, before) => [...listOf(before), ...text.split(",")]);
    if (spec.kind === "repeated") option.argParser((text, before) => [...listOf(before), text]);
    if (spec.hidden) option.hideHelp();
    if (heading !== undefined) option.helpGroup(heading);
    SPECS.set(option, spec);
    return option;
  });
}

/** The specification of each option: completion needs more than commander keeps. */
const SPECS = new WeakMap<Option, OptionSpec>();

/** The data that an option was built from; undefined for options of commander itself. */
export function specOf(option: Option): OptionSpec | undefined {
  return SPECS.get(option);
}

function description(spec: OptionSpec): string {
  return spec.required === true && spec.unless === undefined
    ? `${spec.description} (required)`
    : spec.description;
}

function oneOf(values: readonly string[], text: string): string {
  if (values.includes(text)) return text;
  throw new InvalidArgumentError(`expected one of ${values.join(", ")}`);
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : [];
}

function parseInteger(text: string): number {
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError(`parsing ${JSON.stringify(text)}: invalid syntax`);
}
