/** `svc-authorizer setup` and `superuser`: administrators made by whoever runs the service. */

import type { Command } from "commander";
import { type AdministratorConfigFlags, administratorConfig } from "./administrator-config.ts";
import type { AdministratorFlags } from "./administrator-options.ts";
import { type CommandContext, withConfigFlags } from "./command-context.ts";
import { withExamples } from "./help-examples.ts";
import type { SetupFlags } from "./setup-command.ts";

/** Adds the commands to the program. */
export function addAdministratorCommands(program: Command, context: CommandContext): void {
  const { edge, env } = context;
  const setup = withAdministrator(program.command("setup"))
    .description("create the first administrator, once; of a running service through its one-time token")
    .option("--server <url>", "user listener of the running service")
    .option("--token-file <file>", "file with the one-time token; default where the service keeps it")
    .option(
      "--write-config [file]",
      "write the key into svcctl's configuration file (default ~/.svcctl.yaml)",
    )
    .action(async (flags: AdministratorConfigFlags & SetupFlags) => {
      const [{ runSetup }, { askAtTerminal: ask }] = await Promise.all([
        import("./setup-command.ts"),
        import("./administrator-options.ts"),
      ]);
      // Of a running service nothing of the configuration is needed but where it keeps the token.
      const requirements = flags.server === undefined ? "run" : "none";
      const { values, runningAt } = administratorConfig(context, flags, requirements);
      context.finish(await runSetup(values, flags, { edge, env, ask, runningAt }));
    });
  withExamples(
    setup,
    [
      "svc-authorizer setup --quickstart --user-name admin --write-config",
      "svc-authorizer setup --config authorizer.yaml --user-name admin",
      "svc-authorizer setup --user-name admin --server https://auth.example.com --token-file token",
    ],
    "management-api.md",
  );
  const superuser = withAdministrator(program.command("superuser"))
    .description("create a further administrator while the service is not running")
    .action(async (flags: AdministratorConfigFlags & AdministratorFlags) => {
      const [{ runSuperuser }, { askAtTerminal: ask }] = await Promise.all([
        import("./superuser-command.ts"),
        import("./administrator-options.ts"),
      ]);
      const { values } = administratorConfig(context, flags, "run");
      context.finish(await runSuperuser(values, flags, { edge, env, ask }));
    });
  withExamples(
    superuser,
    ["svc-authorizer superuser --config authorizer.yaml --user-name second-admin"],
    "management-api.md",
  );
}

function withAdministrator(command: Command): Command {
  return withConfigFlags(command)
    .requiredOption("--user-name <name>", "name of the administrator")
    .option("--quickstart", "of the quick start, instead of a configured service")
    .option("--data <folder>", "folder of the quick start (default ./.svc-authorizer)")
    .option("--access-key-id <id>", "import this key; its secret is asked for, or taken from --secret-env")
    .option("--secret-env <name>", "variable that has the secret of the imported key")
    .option("--json", "print one JSON document");
}
