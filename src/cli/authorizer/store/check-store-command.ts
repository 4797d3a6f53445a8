/** Implements `svc-authorizer check-store`. */

import { openCatalog } from "../../../catalog/open-catalog.ts";
import { withBackup } from "../../../compose/store/backup.ts";
import { withOfflineStoreToRead } from "../../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../../config/table.ts";
import { checkConsistency, checkWholeStore } from "../../../directory/upkeep/check-store.ts";
import { doubtfulPolicies } from "../../../directory/upkeep/doubtful-policies.ts";
import { EXIT } from "../../exit-codes.ts";
import type { ProcessEdge } from "../../process-edge.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "./store-values.ts";

/** Options of the command. */
export interface CheckFlags {
  readonly json?: boolean;
  /** File of a backup to check in place of the store. */
  readonly backup?: string;
}

/** Checks the store and prints what is wrong. Answers the exit code: 0 sound, 1 something was found. */
export async function runCheckStore(
  values: ConfigValues,
  { json = false, backup }: CheckFlags,
  { stdout, stderr }: Pick<ProcessEdge, "stdout" | "stderr">,
): Promise<number> {
  const secretKey = values["auth.encrypt.secret_key"];
  const previousSecretKey = values["authorizer.previous_secret_key"];
  if (secretKey === undefined) stderr.write("auth.encrypt.secret_key is not set: secrets are not checked\n");
  const { preconfigured } = await openCatalog({ partition: values["authorizer.partition"] });
  const check = async (store: Parameters<typeof checkConsistency>[0]) => ({
    findings: await (secretKey === undefined
      ? checkConsistency(store)
      : checkWholeStore(store, { secretKey, previousSecretKey })),
    doubtful: await doubtfulPolicies(store, preconfigured.policies),
  });
  const { findings, doubtful } = await (backup === undefined
    ? withOfflineStoreToRead(values, check)
    : withBackup(backup, check));
  if (json) stdout.write(`${JSON.stringify({ sound: findings.length === 0, findings, doubtful })}\n`);
  else {
    for (const { policy, statements } of doubtful) {
      const which = `${statements.length === 1 ? "statement" : "statements"} ${statements.join(", ")}`;
      stdout.write(
        `doubtful: policy ${JSON.stringify(policy)}: ${which}: an earlier version wrote it, and dropped members that it did not know: compare it with what was meant, and save it\n`,
      );
    }
    for (const { kind, partition, key, message } of findings) {
      // JSON escapes whatever a damaged key may hold.
      stdout.write(`${kind}: ${partition} ${JSON.stringify(key)}: ${message}\n`);
    }
    stdout.write(findings.length === 0 ? "the store is sound\n" : `${findings.length} found\n`);
  }
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The command on the command line. */
export async function checkStore(call: CommandCall): Promise<void> {
  const flags = flagsOf<ConfigFlags & CheckFlags>(call);
  const { context } = call;
  context.finish(await runCheckStore(storeValues(context, flags), flags, context.edge));
}
