/** Commands of svc-authorizer: the shared framework with this program's context, and the options they share. */

import type * as framework from "@svc-authorizer/commands/command-spec.ts";
import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandContext } from "./command-context.ts";

/** One run of a command. */
export type CommandCall = framework.CommandCall<CommandContext>;

/** A command that does something. */
export type CommandSpec = framework.CommandSpec<CommandContext>;

/** A command that only contains others. */
export type GroupSpec = framework.GroupSpec<CommandContext>;

/** Options that name the configuration; `ConfigFlags` are their values. */
export const CONFIG_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "-c, --config <file>",
    description: "configuration file (default: the first one found in the usual places)",
  },
  {
    flags: "--set <item=value>",
    description: "set a configuration item (repeatable)",
    kind: "repeated",
  },
];

/** `--json` of a command. */
export const JSON_OPTION: OptionSpec = { flags: "--json", description: "print one JSON document" };

/** `--from-copy` of commands that read. */
export const FROM_COPY_OPTION: OptionSpec = {
  flags: "--from-copy <folder>",
  description:
    "read a node's copy instead (authorizer.replication.path, or a former copy beside it): without its database, and while the node runs",
};

/** Options of a command by their names. The command's own specification says which there are, and of which type. */
export function flagsOf<Flags extends object>(call: CommandCall): Flags {
  return call.options as Flags;
}
