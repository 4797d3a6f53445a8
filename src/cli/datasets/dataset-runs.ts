/** Opens the store for `load`, `sync` and `export`, and closes it afterwards. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { DataParts } from "../../compose/data.ts";
import { overflowOf } from "../../compose/store/overflow-of.ts";
import { limitsOf } from "../../config/limits.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { revisionOf } from "../log/past-state.ts";
import { COMMAND_LINE, withCopy, withData, withDataToRead } from "../store/open-data.ts";
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
  readonly at?: string;
  readonly fromCopy?: string;
}

export const load = (call: CommandCall): Promise<void> => loadFiles(call, "load");
export const sync = (call: CommandCall): Promise<void> => loadFiles(call, "sync");

function loadFiles(call: CommandCall, command: "load" | "sync"): Promise<void> {
  const flags = flagsOf<LoadFlags>(call);
  const { mode = command, dryRun = false, yes = false, json = false } = flags;
  return withData(call, flags, async (data) => {
    const overflow = overflowOf(data.values);
    const run = () =>
      runLoad(partsOf(call, data), {
        files: call.args,
        mode,
        dryRun,
        yes,
        json,
        env: (name) => call.context.env[name],
        guards: data.values["authorizer.guards"],
        limits: limitsOf(data.values),
        overflow,
      });
    try {
      return await data.directory.actingFor(COMMAND_LINE, run);
    } finally {
      overflow.close();
    }
  });
}

export function exportData(call: CommandCall): Promise<void> {
  const flags = flagsOf<ExportFlags>(call);
  const { format, secrets = false, output, at, fromCopy } = flags;
  const write = async (data: DataParts): Promise<number> => {
    const { history } = data.directory;
    const revision = at === undefined ? history.head.revision : await revisionOf(at, history);
    const where = output === undefined ? {} : { output };
    const code = await runExport(partsOf(call, data), { format, secrets, revision, ...where });
    if (code === EXIT.ok) call.context.err(`exported revision ${revision}\n`);
    return code;
  };
  if (fromCopy === undefined) return withDataToRead(call, flags, write);
  return withCopy(call, flags, fromCopy, write);
}

function partsOf({ context }: CommandCall, { directory, catalog }: DataParts): DatasetCommandParts {
  return {
    directory,
    catalog,
    out: (text: string) => context.outToReader(text),
    err: (text: string) => context.err(text),
  };
}
