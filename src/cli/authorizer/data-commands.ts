/** `svc-authorizer load`, `sync` and `export`: they open the store themselves, so the service must not be running. */

import { type Command, Option } from "commander";
import { loadServiceConfig } from "../../compose/configuration.ts";
import type { DataParts } from "../../compose/data.ts";
import { type CommandContext, type ConfigFlags, loadOptionsOf, withConfigFlags } from "./command-context.ts";
import type { DatasetCommandParts } from "./dataset-commands.ts";
import { withExamples } from "./help-examples.ts";

interface LoadFlags extends ConfigFlags {
  readonly mode?: "load" | "sync";
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface ExportFlags extends ConfigFlags {
  readonly format: "json" | "yaml";
  readonly secrets?: boolean;
  readonly output?: string;
}

/** Adds the commands to the program. */
export function addDataCommands(program: Command, context: CommandContext): void {
  for (const mode of ["load", "sync"] as const) {
    const command = withConfigFlags(program.command(`${mode} <files...>`))
      .description(
        mode === "load"
          ? "create what data sets name and the store lacks (files or globs)"
          : "make the store equal to data sets, removing what a former sync made",
      )
      .option("--dry-run", "only say what would change")
      .option("--yes", "confirm a sync that removes more than half of what it manages")
      .option("--json", "print one JSON document");
    if (mode === "load")
      command.addOption(new Option("--mode <mode>").choices(["load", "sync"]).default("load"));
    command.action((files: string[], flags: LoadFlags) => load(context, files, { mode, ...flags }));
    const call = `svc-authorizer ${mode} 'datasets/*.yaml' --config authorizer.yaml`;
    withExamples(command, [`${call} --dry-run`, call], "datasets.md");
  }
  const exporting = withConfigFlags(program.command("export"))
    .description("write the directory as a data set that loads back")
    .addOption(
      new Option("--format <format>", "form of the data set").choices(["yaml", "json"]).default("yaml"),
    )
    .option("--secrets", "with the secrets of access keys, in clear")
    .option("-o, --output <file>", "file to write (mode 600) in place of standard output")
    .action((flags: ExportFlags) => exportData(context, flags));
  const call = "svc-authorizer export --config authorizer.yaml";
  withExamples(
    exporting,
    [`${call} --output people.yaml`, `${call} --secrets --output backup.yaml`],
    "datasets.md",
  );
}

async function withData(
  context: CommandContext,
  flags: ConfigFlags,
  work: (parts: DatasetCommandParts, data: DataParts) => Promise<number>,
): Promise<void> {
  // Bootstrap, listeners and the like are of no interest here, but store and secret key are.
  const { openData, openLog } = await import("../../compose/data.ts");
  const { values } = loadServiceConfig(loadOptionsOf(context, flags));
  const logger = openLog({ ...values, "logging.output": ["="], "logging.level": "WARN" });
  const data = await openData(values, logger);
  const { edge } = context;
  try {
    const parts = {
      directory: data.directory,
      catalog: data.catalog,
      out: (text: string) => void edge.stdout.write(text),
      err: (text: string) => void edge.stderr.write(text),
    };
    context.finish(await work(parts, data));
  } finally {
    await data.close();
  }
}

function load(context: CommandContext, files: readonly string[], flags: LoadFlags): Promise<void> {
  const { mode = "load", dryRun = false, yes = false, json = false } = flags;
  return withData(context, flags, async (parts, { values }) => {
    const [{ runLoad }, { policyLimits }] = await Promise.all([
      import("./dataset-commands.ts"),
      import("../../compose/data.ts"),
    ]);
    return runLoad(parts, {
      files,
      mode,
      dryRun,
      yes,
      json,
      env: (name) => context.env[name],
      guards: values["authorizer.guards"],
      limits: policyLimits(values),
    });
  });
}

function exportData(context: CommandContext, flags: ExportFlags): Promise<void> {
  const { format, secrets = false, output } = flags;
  return withData(context, flags, async (parts) => {
    const { runExport } = await import("./dataset-commands.ts");
    return runExport(parts, { format, secrets, ...(output === undefined ? {} : { output }) });
  });
}
