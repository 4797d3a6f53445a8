import type { Command } from "commander";

/** The words that run a command: `svcctl auth users`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
