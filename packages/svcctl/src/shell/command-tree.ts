/** All commands as plain data, for the reference. */

import { GLOBAL_HEADING, pathOf } from "@svc-authorizer/commands/new-program.ts";
import type { Command } from "commander";

/** One option, as its command shows it. */
export interface DescribedOption {
  readonly flags: string;
  readonly description: string;
  readonly default?: string;
}

/** A command with those below it. */
export interface DescribedCommand {
  /** `svcctl auth users list`. */
  readonly path: string;
  readonly description: string;
  /** The arguments that follow the path. */
  readonly usage: string;
  /** Its own options, without those that every command takes. */
  readonly options: readonly DescribedOption[];
  readonly commands: readonly DescribedCommand[];
}

/** Describes a command; hidden ones and `help` are left out. */
export function describeCommand(command: Command): DescribedCommand {
  const own = command.options.filter(
    (option) => !option.hidden && option.helpGroupHeading !== GLOBAL_HEADING,
  );
  const visible = command.createHelp().visibleCommands(command);
  return {
    path: pathOf(command),
    description: command.description(),
    usage: command.usage(),
    options: own.map(describeOption),
    commands: visible.filter((one) => one.name() !== "help").map(describeCommand),
  };
}

/** The options that every command takes. */
export function describeGlobalOptions(program: Command): readonly DescribedOption[] {
  return program.options.filter((option) => option.helpGroupHeading === GLOBAL_HEADING).map(describeOption);
}

function describeOption(option: Command["options"][number]): DescribedOption {
  const { flags, description, defaultValue, negate } = option;
  // Commander gives `--no-x` the default true, which says nothing to people.
  const silent =
    defaultValue === undefined || negate || (Array.isArray(defaultValue) && defaultValue.length === 0);
  return { flags, description, ...(!silent && { default: String(defaultValue) }) };
}
