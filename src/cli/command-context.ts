/** Shared by the commands of `svc-authorizer`: the process, and the sources of configuration. */

import type { CommandOutput } from "@svc-authorizer/commands/command-spec.ts";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { inChunks } from "@svc-authorizer/commands/in-chunks.ts";
import { type ProcessEdge, writeToReader } from "@svc-authorizer/commands/process-edge.ts";
import { safeMessage } from "@svc-authorizer/commands/safe-text.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { FlagValue, LoadOptions } from "../config/load.ts";
import { parseSetting } from "./item-flags.ts";

/** Shared by all commands of one run. */
export class CommandContext implements CommandOutput {
  readonly edge: ProcessEdge;
  readonly env: Environment;
  /** `--<item>` flags of the command line. */
  readonly itemFlags: readonly FlagValue[];
  /** A script that names no command got nothing done: that is a failure. */
  readonly codeWithoutCommand = EXIT.usage;
  /** `run prod.yaml` without `--config` would start with another configuration. */
  readonly ignoresFurtherArguments = false;
  #exitCode: number = EXIT.ok;

  constructor(edge: ProcessEdge, env: Environment, itemFlags: readonly FlagValue[]) {
    this.edge = edge;
    this.env = env;
    this.itemFlags = itemFlags;
  }

  /** Writes to standard output, as is. */
  out(text: string): void {
    this.edge.stdout.write(text);
  }

  /** As {@link out}, and waits for the reader: for output of any length. */
  outToReader(text: string): Promise<void> | undefined {
    return writeToReader(this.edge.stdout, text);
  }

  /** Writes lines of any number, and waits for the reader. */
  async outLines(lines: Iterable<string> | AsyncIterable<string>): Promise<void> {
    for await (const text of inChunks(lines)) await this.outToReader(text);
  }

  /** Writes lines to standard error. What of them came from a file or a server does not steer the terminal. */
  err(text: string): void {
    this.edge.stderr.write(safeMessage(text));
  }

  /** Keeps the exit code of the command that ran: 0 unless a command says otherwise. */
  finish(code: number): void {
    this.#exitCode = code;
  }

  get exitCode(): number {
    return this.#exitCode;
  }
}

/** Options that name configuration. */
export interface ConfigFlags {
  readonly config?: string;
  readonly set?: readonly string[];
}

/** Items set by flags of the command line, in the order of their precedence. */
export function itemFlagsOf(context: CommandContext, { set = [] }: ConfigFlags): readonly FlagValue[] {
  const settings = set.map((setting) => {
    const flag = parseSetting(setting);
    if (flag === undefined)
      throw new AuthorizerError("invalid_request", `--set ${setting}: expected item=value`);
    return flag;
  });
  return [...context.itemFlags, ...settings];
}

/** Returns the sources of a command's configuration. */
export function loadOptionsOf(context: CommandContext, options: ConfigFlags): LoadOptions {
  const { config } = options;
  return {
    env: context.env,
    flags: itemFlagsOf(context, options),
    ...(config === undefined ? {} : { configFile: config }),
  };
}
