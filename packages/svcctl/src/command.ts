/** Commands of svcctl: the shared framework with svcctl's context. */

import type * as framework from "@svc-authorizer/commands/command-spec.ts";
import type { CommandContext } from "./command-context.ts";

/** One run of a command. */
export type CommandCall = framework.CommandCall<CommandContext>;

/** The implementation of a command. */
export type CommandRun = framework.CommandRun<CommandContext>;

/** A command that does something. */
export type CommandSpec = framework.CommandSpec<CommandContext>;

/** A command that only contains others. */
export type GroupSpec = framework.GroupSpec<CommandContext>;
