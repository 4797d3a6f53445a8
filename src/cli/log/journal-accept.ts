/** Implements `svc-authorizer journal accept`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { acceptOtherLog } from "../../compose/store/accept-log.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "../store/store-values.ts";

interface AcceptFlags extends ConfigFlags {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** The command on the command line. */
export async function journalAccept(call: CommandCall): Promise<void> {
  const flags = flagsOf<AcceptFlags>(call);
  const { context } = call;
  const report = await acceptOtherLog(storeValues(context, flags), flags.yes === true);
  const { log, missing, accepted } = report;
  if (flags.json === true) context.out(`${JSON.stringify(report)}\n`);
  else if (missing.length === 0) context.out(`nothing to do: no node misses another log than ${log}\n`);
  else {
    const names = missing.join(", ");
    const said = accepted
      ? `nodes with a copy of ${names} go over to ${log}`
      : `nodes have copies of ${names}, and the database has ${log}: with --yes they go over to it and what only their copies have is no longer answered`;
    context.out(`${said}\n`);
  }
  context.finish(EXIT.ok);
}
