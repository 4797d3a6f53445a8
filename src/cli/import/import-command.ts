/** Reads the options of `svc-authorizer import`. */

import { loadServiceConfig } from "../../compose/configuration.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import { type ConfigFlags, loadOptionsOf } from "../command-context.ts";
import { runImport } from "./run-import.ts";

interface ImportFlags extends ConfigFlags {
  readonly from: string;
  readonly tokenEnv: string;
  readonly secrets: boolean;
  readonly merge?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function importDirectory(call: CommandCall): Promise<void> {
  const { context } = call;
  const flags = flagsOf<ImportFlags>(call);
  const { values } = loadServiceConfig(loadOptionsOf(context, flags));
  const { from, tokenEnv, secrets, merge = false, dryRun = false, json = false } = flags;
  const token = context.env[tokenEnv]?.trim();
  context.finish(
    await runImport(values, { from, token, tokenEnv, secrets, merge, dryRun, json }, context.edge),
  );
}
