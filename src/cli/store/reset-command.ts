/** Implements `svc-authorizer reset`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import {
  assertAuditable,
  assertNotInUse,
  auditOnce,
  emptyStore,
  storePlace,
  withOfflineStore,
} from "../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../config/table.ts";
import { countEntities } from "../../directory/read/count-entities.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "./store-values.ts";

/** Empties the store with `yes`, else says what would be lost. Answers the exit code: 2 for a missing `--yes`. */
async function runReset(
  values: ConfigValues,
  yes: boolean,
  { stdout, stderr }: Pick<ProcessEdge, "stdout" | "stderr">,
): Promise<number> {
  const place = storePlace(values);
  if (place === undefined) {
    stdout.write("there is no store; nothing to empty\n");
    return EXIT.ok;
  }
  assertNotInUse(values);
  const loss = await describeLoss(values);
  if (!yes) {
    stderr.write(`${place}: ${loss} would be lost; nothing was changed, --yes empties the store\n`);
    return EXIT.usage;
  }
  await assertAuditable(values);
  emptyStore(values);
  await auditOnce(values, "write", { what: "reset", lost: loss });
  stdout.write(`${place}: emptied; ${loss} are gone\n`);
  return EXIT.ok;
}

async function describeLoss(values: ConfigValues): Promise<string> {
  try {
    const { users, groups, policies, credentials } = await withOfflineStore(values, countEntities);
    return `${users} users, ${groups} groups, ${policies} policies, ${credentials} access keys`;
  } catch {
    // A damaged store is what a reset is for.
    return "a store that cannot be read";
  }
}

/** The command on the command line. */
export async function reset(call: CommandCall): Promise<void> {
  const flags = flagsOf<ConfigFlags & { readonly yes?: boolean }>(call);
  const { context } = call;
  context.finish(await runReset(storeValues(context, flags), flags.yes ?? false, context.edge));
}
