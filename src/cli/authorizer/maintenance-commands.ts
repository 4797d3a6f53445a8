/**
 * `svc-authorizer reset`, `check-store` and `rotate-key`: they look after a store while the service is not running.
 */

import type { Command } from "commander";
import { loadServiceConfig } from "../../compose/configuration.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CommandContext, type ConfigFlags, loadOptionsOf, withConfigFlags } from "./command-context.ts";
import { withExamples } from "./help-examples.ts";
import { addImportCommand } from "./import/add-import-command.ts";

/** Adds the commands to the program. */
export function addMaintenanceCommands(program: Command, context: CommandContext): void {
  const reset = withConfigFlags(program.command("reset"))
    .description("empty the store; without --yes only say what would be lost")
    .option("--yes", "really empty it")
    .action(async (flags: ConfigFlags & { yes?: boolean }) => {
      const { runReset } = await import("./reset-command.ts");
      context.finish(await runReset(storeValues(context, flags), flags.yes ?? false, context.edge));
    });
  const check = withConfigFlags(program.command("check-store"))
    .description("look for damage and contradictions in the store, changing nothing; exit code 1 when found")
    .option("--json", "print one JSON document")
    .action(async (flags: ConfigFlags & { json?: boolean }) => {
      const { runCheckStore } = await import("./check-store-command.ts");
      context.finish(await runCheckStore(storeValues(context, flags), flags.json ?? false, context.edge));
    });
  const rotate = withConfigFlags(program.command("rotate-key"))
    .description("encrypt all secrets of the store with a new auth.encrypt.secret_key")
    .requiredOption("--from-env <name>", "variable that has the key in use")
    .requiredOption("--to-env <name>", "variable that has the new key")
    .option("--json", "print one JSON document")
    .action(async (flags: ConfigFlags & { fromEnv: string; toEnv: string; json?: boolean }) => {
      const { runRotateKey } = await import("./rotate-key-command.ts");
      const { edge, env } = context;
      context.finish(await runRotateKey(storeValues(context, flags), { ...flags, env }, edge));
    });
  for (const [command, example] of [
    [reset, "svc-authorizer reset --config authorizer.yaml --yes"],
    [check, "svc-authorizer check-store --config authorizer.yaml"],
    [rotate, "OLD=… NEW=… svc-authorizer rotate-key --config authorizer.yaml --from-env OLD --to-env NEW"],
  ] as const) {
    withExamples(command, [example], "bootstrap.md");
  }
  addImportCommand(program, context);
}

/** The configuration as far as it names a store: what `run` would miss is not asked for. */
function storeValues(context: CommandContext, flags: ConfigFlags): ConfigValues {
  return loadServiceConfig({ ...loadOptionsOf(context, flags), requirements: "none" }).values;
}
