/** Implements `svc-authorizer journal upgrade`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { withOfflineStore } from "../../compose/store/offline-store.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "../store/store-values.ts";

/** The command on the command line. */
export async function journalUpgrade(call: CommandCall): Promise<void> {
  const flags = flagsOf<ConfigFlags & { readonly json?: boolean }>(call);
  const { context } = call;
  const formats = await withOfflineStore(storeValues(context, flags), async (store) => store.upgradeLog?.());
  if (flags.json === true) context.out(`${JSON.stringify(formats ?? {})}\n`);
  else if (formats === undefined) context.out("nothing to do: a local store is upgraded when it is opened\n");
  else if (formats.from === formats.to) context.out(`nothing to do: the log has format ${formats.to}\n`);
  else context.out(`the log has format ${formats.to} now; before, it had ${formats.from}\n`);
  context.finish(EXIT.ok);
}
