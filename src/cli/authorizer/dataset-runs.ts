/** Opens the store for `load`, `sync` and `export`, and closes it afterwards. */

import { loadServiceConfig } from "../../compose/configuration.ts";
import { type DataParts, openData, openLog } from "../../compose/data.ts";
import { limitsOf } from "../../config/limits.ts";
import { type CommandCall, flagsOf } from "./command.ts";
import { type ConfigFlags, loadOptionsOf } from "./command-context.ts";
import { type DatasetCommandParts, runExport, runLoad } from "./dataset-commands.ts";

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

export const load = (call: CommandCall): Promise<void> => loadFiles(call, "load");
export const sync = (call: CommandCall): Promise<void> => loadFiles(call, "sync");

function loadFiles(call: CommandCall, command: "load" | "sync"): Promise<void> {
  const flags = flagsOf<LoadFlags>(call);
  const { mode = command, dryRun = false, yes = false, json = false } = flags;
  return withData(call, flags, (parts, { values }) =>
    runLoad(parts, {
      files: call.args,
      mode,
      dryRun,
      yes,
      json,
      env: (name) => call.context.env[name],
      guards: values["authorizer.guards"],
      limits: limitsOf(values),
    }),
  );
}

export function exportData(call: CommandCall): Promise<void> {
  const flags = flagsOf<ExportFlags>(call);
  const { format, secrets = false, output } = flags;
  return withData(call, flags, (parts) =>
    runExport(parts, { format, secrets, ...(output === undefined ? {} : { output }) }),
  );
}

async function withData(
  { context }: CommandCall,
  flags: ConfigFlags,
  work: (parts: DatasetCommandParts, data: DataParts) => Promise<number>,
): Promise<void> {
  const { values } = loadServiceConfig(loadOptionsOf(context, flags));
  const logger = openLog({ ...values, "logging.output": ["="], "logging.level": "WARN" });
  const data = await openData(values, logger);
  try {
    const parts = {
      directory: data.directory,
      catalog: data.catalog,
      out: (text: string) => context.out(text),
      err: (text: string) => context.err(text),
    };
    context.finish(await work(parts, data));
  } finally {
    await data.close();
  }
}
