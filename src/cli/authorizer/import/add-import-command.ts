/** `svc-authorizer import` on the command line. */

import type { Command } from "commander";
import { loadServiceConfig } from "../../../compose/configuration.ts";
import { type CommandContext, type ConfigFlags, loadOptionsOf, withConfigFlags } from "../command-context.ts";
import { withExamples } from "../help-examples.ts";

interface ImportFlags extends ConfigFlags {
  readonly from: string;
  readonly tokenEnv: string;
  readonly secrets: boolean;
  readonly withSecrets?: boolean;
  readonly merge?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Adds the command to the program. */
export function addImportCommand(program: Command, context: CommandContext): void {
  const command = withConfigFlags(program.command("import"))
    .description("copy users, groups, policies and all that belongs to them from a running authorization API")
    .requiredOption("--from <url>", "base of the API, such as http://host:8001/api/v1")
    .requiredOption("--token-env <name>", "variable that has the bearer token")
    .option("--with-secrets", "copy access keys with their secrets (the default)")
    .option("--no-secrets", "leave access keys out")
    .option("--merge", "add to a store that is not empty; what has the same name is replaced")
    .option("--dry-run", "read and check everything, write nothing")
    .option("--json", "print one JSON document")
    .action(async (flags: ImportFlags) => {
      const { runImport } = await import("./run-import.ts");
      const { values } = loadServiceConfig(loadOptionsOf(context, flags));
      const { from, tokenEnv, secrets, merge = false, dryRun = false, json = false } = flags;
      const token = context.env[tokenEnv]?.trim();
      context.finish(
        await runImport(values, { from, token, tokenEnv, secrets, merge, dryRun, json }, context.edge),
      );
    });
  const call = "TOKEN=… svc-authorizer import --from http://old-host:8001/api/v1 --token-env TOKEN";
  withExamples(command, [`${call} --dry-run`], "bootstrap.md");
}
