/** `svcctl docs`: the reference of all commands, made from the commands themselves. */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { openFault } from "@svc-authorizer/commands/settings/settings-file.ts";
import type { Command } from "commander";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../output/json-text.ts";
import { describeCommand } from "./command-tree.ts";
import { markdownReference } from "./markdown-reference.ts";

/** Writes the reference to the file that is named, else to standard output. */
export async function writeReference({ context, options, args, command }: CommandCall): Promise<void> {
  const program = rootOf(command);
  const text = options["json"] === true ? jsonText(describeCommand(program)) : markdownReference(program);
  const [file] = args;
  if (file === undefined || file === "-") return context.out(text);
  try {
    writeFileSync(resolve(context.edge.cwd, file), text);
  } catch (error) {
    throw new Error(openFault(file, error), { cause: error });
  }
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
