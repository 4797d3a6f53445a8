/** Implements `svc-authorizer check-store`. */

import { existsSync, statSync } from "node:fs";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { auditedWrites } from "../../compose/store/audited-writes.ts";
import { withBackup } from "../../compose/store/backup.ts";
import { newestRevision, withCopyToRead, withOfflineStoreToRead } from "../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../config/table.ts";
import { checkConsistency, checkWholeStore } from "../../directory/upkeep/check-store.ts";
import { doubtfulOrigins } from "../../directory/upkeep/doubtful-origins.ts";
import { doubtfulPolicies } from "../../directory/upkeep/doubtful-policies.ts";
import { type CheckedMirror, checkMirrors } from "../../mirroring/upkeep/check-mirrors.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { doubtfulLines } from "./doubtful-lines.ts";
import { storeValues } from "./store-values.ts";

type Store = Parameters<typeof checkConsistency>[0];

/** Options of the command. */
interface CheckFlags {
  readonly json?: boolean;
  /** File of a backup to check in place of the store. */
  readonly backup?: string;
  /** Folder of a node's copy to check in place of the store. */
  readonly fromCopy?: string;
  /** Further files of the audit log: rotated ones, most likely. */
  readonly auditLog?: readonly string[];
}

/** Checks the store and prints what is wrong. Answers the exit code: 0 sound, 1 something was found. */
async function runCheckStore(
  values: ConfigValues,
  { json = false, backup, fromCopy, auditLog = [] }: CheckFlags,
  { stdout, stderr }: Pick<ProcessEdge, "stdout" | "stderr">,
): Promise<number> {
  const secretKey = values["auth.encrypt.secret_key"];
  const previousSecretKey = values["authorizer.previous_secret_key"];
  if (secretKey === undefined) stderr.write("auth.encrypt.secret_key is not set: secrets are not checked\n");
  const { preconfigured } = await openCatalog({ partition: values["authorizer.partition"] });
  const check = async (store: Store) => {
    const from = await newestRevision(store);
    const found = await (secretKey === undefined
      ? checkConsistency(store)
      : checkWholeStore(store, { secretKey, previousSecretKey }));
    const { mirrors, findings } = await checkMirrors(store);
    return {
      findings: [...found, ...findings],
      mirrors,
      doubtful: await doubtfulOrigins(store, await doubtfulPolicies(store, preconfigured.policies)),
      revisions: { from, to: await newestRevision(store) },
    };
  };
  const { findings, mirrors, doubtful, revisions } = await onChosen(values, backup, fromCopy, check);
  const wrote = await auditedWrites(
    [...new Set([...auditFileOf(values), ...auditLog])],
    doubtful.map(({ policy, document }) => ({ name: policy, statement: document })),
  );
  const entries = doubtful.map(({ document: _, ...entry }) => {
    const call = wrote.get(entry.policy);
    return { ...entry, ...(call !== undefined && { call }) };
  });
  if (json) {
    stdout.write(
      `${JSON.stringify({ sound: findings.length === 0, revisions, findings, mirrors, doubtful: entries })}\n`,
    );
  } else {
    stderr.write(`checked ${inWords(revisions)}\n`);
    for (const one of mirrors) stderr.write(`${mirrorLine(one)}\n`);
    for (const line of doubtfulLines(entries)) stdout.write(`${line}\n`);
    for (const { kind, partition, key, message } of findings) {
      // JSON escapes whatever a damaged key may hold.
      stdout.write(`${kind}: ${partition} ${JSON.stringify(key)}: ${message}\n`);
    }
    stdout.write(findings.length === 0 ? "the store is sound\n" : `${findings.length} found\n`);
  }
  return findings.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Runs a check on what the command names. */
function onChosen<T>(
  values: ConfigValues,
  backup: string | undefined,
  fromCopy: string | undefined,
  check: (store: Store) => Promise<T>,
): Promise<T> {
  if (backup !== undefined && fromCopy !== undefined)
    throw new AuthorizerError("invalid_request", "--backup and --from-copy: give one of them");
  if (backup !== undefined) return withBackup(backup, check);
  return fromCopy === undefined ? withOfflineStoreToRead(values, check) : withCopyToRead(fromCopy, check);
}

/** The service may have written meanwhile. */
function inWords({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `revision ${from}` : `a revision from ${from} to ${to}, as the service is writing`;
}

/** The line about a mirror: one without progress begins anew, which nothing else tells. */
function mirrorLine({ mirror, branches, recorded, complete, has_state }: CheckedMirror): string {
  const name = `mirror ${JSON.stringify(mirror)}`;
  if (!has_state) return `${name}: no progress is stored: nothing was done for it yet, or that is lost`;
  return `${name}: ${branches} branches seen, ${recorded} commits recorded, ${complete} of them complete`;
}

/** The file of the audit log, where the configuration names one that exists. */
function auditFileOf(values: ConfigValues): readonly string[] {
  const output = values["authorizer.audit.output"];
  if (output === undefined || output === "-" || output === "=" || !existsSync(output)) return [];
  return statSync(output).isFile() ? [output] : [];
}

/** The command on the command line. */
export async function checkStore(call: CommandCall): Promise<void> {
  const flags = flagsOf<ConfigFlags & CheckFlags>(call);
  const { context } = call;
  context.finish(await runCheckStore(storeValues(context, flags), flags, context.edge));
}
