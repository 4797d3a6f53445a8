/** `svc-authorizer config show|validate|docs` on the command line. */

import type { Command } from "commander";
import { type CommandContext, type ConfigFlags, loadOptionsOf, withConfigFlags } from "./command-context.ts";
import { printConfigReference, showConfig, validateConfig } from "./config-commands.ts";
import { withExamples } from "./help-examples.ts";

/** Adds the commands to the program. */
export function addConfigCommands(program: Command, context: CommandContext): void {
  const { edge } = context;
  const config = program.command("config").description("show, validate or document the configuration");
  const show = withConfigFlags(config.command("show"))
    .description("print the effective values with their origins, secrets redacted")
    .option("--json", "print JSON")
    .option("--only-set", "leave out defaults")
    .action((options: ConfigFlags & { json?: boolean; onlySet?: boolean }) => {
      const { json = false, onlySet = false } = options;
      context.finish(showConfig(loadOptionsOf(context, options), edge, { json, onlySet }));
    });
  const validate = withConfigFlags(config.command("validate"))
    .description("report every problem with file and line")
    .action((options: ConfigFlags) => {
      context.finish(validateConfig(loadOptionsOf(context, options), edge));
    });
  const docs = config
    .command("docs")
    .description("print the reference of all items in Markdown")
    .action(() => context.finish(printConfigReference(edge)));
  const [showing, validating] = ["config show --only-set", "config validate --config authorizer.yaml"];
  for (const [command, ...examples] of [
    [config, showing, validating],
    [show, showing],
    [validate, validating],
    [docs, "config docs > configuration.md"],
  ] as const) {
    withExamples(
      command,
      examples.map((example) => `svc-authorizer ${example}`),
      "configuration.md",
    );
  }
}
