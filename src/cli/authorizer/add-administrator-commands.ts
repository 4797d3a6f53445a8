/** `svc-authorizer setup` and `superuser`: administrators made by whoever runs the service. */

import type { Command } from "commander";
import { loadConfig } from "../../config/load.ts";
import type { AdministratorFlags } from "./administrator-options.ts";
import { type CommandContext, type ConfigFlags, loadOptionsOf, withConfigFlags } from "./command-context.ts";
import type { SetupFlags } from "./setup-command.ts";

/** Adds the commands to the program. */
export function addAdministratorCommands(program: Command, context: CommandContext): void {
  const { edge, env } = context;
  withAdministrator(program.command("setup"))
    .description("create the first administrator, once; of a running service through its one-time token")
    .option("--server <url>", "user listener of the running service")
    .option("--token-file <file>", "file with the one-time token; default where the service keeps it")
    .action(async (flags: ConfigFlags & SetupFlags) => {
      const [{ runSetup }, { askAtTerminal: ask }] = await Promise.all([
        import("./setup-command.ts"),
        import("./administrator-options.ts"),
      ]);
      // Of a running service nothing of the configuration is needed but where it keeps the token.
      const requirements = flags.server === undefined ? "run" : "none";
      const { values } = loadConfig({ ...loadOptionsOf(context, flags), requirements });
      context.finish(await runSetup(values, flags, { edge, env, ask }));
    });
  withAdministrator(program.command("superuser"))
    .description("create a further administrator while the service is not running")
    .action(async (flags: ConfigFlags & AdministratorFlags) => {
      const [{ runSuperuser }, { askAtTerminal: ask }] = await Promise.all([
        import("./superuser-command.ts"),
        import("./administrator-options.ts"),
      ]);
      const { values } = loadConfig(loadOptionsOf(context, flags));
      context.finish(await runSuperuser(values, flags, { edge, env, ask }));
    });
}

function withAdministrator(command: Command): Command {
  return withConfigFlags(command)
    .requiredOption("--user-name <name>", "name of the administrator")
    .option("--access-key-id <id>", "import this key; its secret is asked for, or taken from --secret-env")
    .option("--secret-env <name>", "variable that has the secret of the imported key")
    .option("--json", "print one JSON document");
}
