/** Implements `svc-authorizer backup`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { backUp } from "../../compose/store/backup.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "./store-values.ts";

/** The command on the command line. */
export async function backup(call: CommandCall): Promise<void> {
  const flags = flagsOf<ConfigFlags & { readonly json?: boolean }>(call);
  const { context } = call;
  const [file = ""] = call.args;
  const report = await backUp(storeValues(context, flags), file);
  if (flags.json === true) context.out(`${JSON.stringify(report)}\n`);
  else {
    const { revision, at, records, resumed } = report;
    const how = resumed ? "; went on with an interrupted backup" : "";
    context.out(`${records} records of revision ${revision} (${at})${how}\n`);
  }
  context.finish(EXIT.ok);
}
