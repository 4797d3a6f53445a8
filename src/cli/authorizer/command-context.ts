/** What the commands of `svc-authorizer` share: the process, and where configuration comes from. */

import type { Command } from "commander";
import type { Environment } from "../../config/environment.ts";
import type { FlagValue, LoadOptions } from "../../config/load.ts";
import { AuthorizerError } from "../../errors.ts";
import type { ProcessEdge } from "../process-edge.ts";
import { parseSetting } from "./item-flags.ts";

/** What the commands share. */
export interface CommandContext {
  readonly edge: ProcessEdge;
  readonly env: Environment;
  /** `--<item>` flags of the command line. */
  readonly itemFlags: readonly FlagValue[];
  /** Keeps the exit code of the command that ran. */
  finish(code: number): void;
}

/** Options that name configuration. */
export interface ConfigFlags {
  readonly config?: string;
  readonly set?: readonly string[];
}

/** Adds the options of {@link ConfigFlags} to a command. */
export function withConfigFlags(command: Command): Command {
  return command
    .option("-c, --config <file>", "configuration file; else the first of the usual places")
    .option("--set <item=value>", "set a configuration item (repeatable)", collect);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Items set by flags of the command line, in the order of their precedence. */
export function flagsOf(context: CommandContext, { set = [] }: ConfigFlags): readonly FlagValue[] {
  const settings = set.map((setting) => {
    const flag = parseSetting(setting);
    if (flag === undefined)
      throw new AuthorizerError("invalid_request", `--set ${setting}: expected item=value`);
    return flag;
  });
  return [...context.itemFlags, ...settings];
}

/** Where a command's configuration comes from. */
export function loadOptionsOf(context: CommandContext, options: ConfigFlags): LoadOptions {
  const { config } = options;
  return {
    env: context.env,
    flags: flagsOf(context, options),
    ...(config === undefined ? {} : { configFile: config }),
  };
}
