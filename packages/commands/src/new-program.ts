/** The part of a command line that both programs share: how help looks and where it goes. */

import { readFileSync } from "node:fs";
import { Command, Help, Option } from "commander";
import type { CommandOutput } from "./command-spec.ts";

/** Version of the package. */
export const VERSION = (
  JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Heading of the options that every command of a program takes; help shows them last. */
export const GLOBAL_HEADING = "Global options:";

const DEFAULT_WIDTH = 100;

/** A program without commands. It never ends the process, and reports its failures as exceptions only. */
export function newProgram(
  name: string,
  description: string,
  output: CommandOutput,
  width?: number,
): Command {
  return new Command(name)
    .description(description)
    .enablePositionalOptions()
    .exitOverride()
    .addHelpOption(new Option("-h, --help", "print help").helpGroup(GLOBAL_HEADING))
    .configureHelp({
      subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trimEnd(),
      formatHelp,
    })
    .configureOutput({
      writeOut: (text) => output.out(text),
      writeErr: (text) => output.err(text),
      outputError: () => undefined,
      getOutHelpWidth: () => width ?? DEFAULT_WIDTH,
      getErrHelpWidth: () => width ?? DEFAULT_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
}

/** Commander's help with the global options moved behind the commands. */
function formatHelp(command: Command, helper: Help): string {
  const sections = Help.prototype.formatHelp.call(helper, command, helper).trimEnd().split("\n\n");
  const isGlobal = (section: string): boolean => section.startsWith(GLOBAL_HEADING);
  const ordered = [
    ...sections.filter((section) => !isGlobal(section)),
    ...sections.filter((section) => isGlobal(section)),
  ];
  return `${ordered.join("\n\n")}\n`;
}

/** Returns the text that help shows after a command's name: only its arguments, because every command has options. */
function argumentsOf(command: Command): string {
  return command.usage().replace("[options]", "").trim();
}

/** The words that run a command: `svcctl auth users`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
