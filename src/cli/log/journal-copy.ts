/** Implements `svc-authorizer journal copy`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { loadServiceConfig } from "../../compose/configuration.ts";
import { copyFromFolder, copyStore } from "../../compose/store/copy-log.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "../store/store-values.ts";

interface CopyFlags extends ConfigFlags {
  readonly to?: string;
  readonly fromCopy?: string;
  readonly json?: boolean;
}

/** The command on the command line. */
export async function journalCopy(call: CommandCall): Promise<void> {
  const flags = flagsOf<CopyFlags>(call);
  const { context } = call;
  const report =
    flags.fromCopy === undefined
      ? await copyStore(storeValues(context, flags), targetOf(call, flags.to!))
      : await copyFromFolder(
          flags.fromCopy,
          flags.to === undefined ? storeValues(context, flags) : targetOf(call, flags.to),
        );
  if (flags.json === true) context.out(`${JSON.stringify(report)}\n`);
  else {
    const { from, to: newest, entries } = report;
    context.out(`${entries} entries copied; states of revisions ${from} to ${newest} can be read\n`);
  }
  context.finish(EXIT.ok);
}

function targetOf({ context }: CommandCall, configFile: string): ConfigValues {
  return loadServiceConfig({ env: context.env, flags: [], configFile, requirements: "none" }).values;
}
