/** Implements `svc-authorizer restore`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { jsonTexts } from "../../compact/json-texts.ts";
import { loadServiceConfig } from "../../compose/configuration.ts";
import { assertAuditable, auditingUnknownOnce, auditOnce } from "../../compose/store/offline-store.ts";
import { restoreBackup } from "../../compose/store/restore-backup.ts";
import type { RestoredThing, RestoreOptions, RestoreReport } from "../../directory/history.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import { type ConfigFlags, loadOptionsOf } from "../command-context.ts";
import { COMMAND_LINE, withData } from "../store/open-data.ts";
import { revisionOf } from "./past-state.ts";

interface RestoreFlags extends ConfigFlags {
  readonly at?: string;
  readonly from?: string;
  readonly keepSessions?: boolean;
  readonly dryRun?: boolean;
  readonly withCredentials?: boolean;
  readonly forgetRevocations?: boolean;
  readonly json?: boolean;
}

/** The fate of what was revoked since, if that is not forgotten. */
const FATE = {
  "deleted user": "comes back inactive (--forget-revocations: active)",
  "inactive user": "stays inactive (--forget-revocations: active)",
  "access key": "stays revoked (--forget-revocations brings it back)",
  "external principal": "stays revoked (--forget-revocations brings it back)",
} as const;

const SIGNS = { create: "+", replace: "~", remove: "-" } as const;

/** The command on the command line. */
export function restore(call: CommandCall): Promise<void> {
  const flags = flagsOf<RestoreFlags>(call);
  if (flags.from !== undefined) return restoreFrom(call, flags, flags.from);
  const { at = "", dryRun = false, withCredentials = false, forgetRevocations = false, json = false } = flags;
  const { context } = call;
  return withData(call, flags, async ({ directory, values }) => {
    const revision = await revisionOf(at, directory.history);
    const options = { dryRun, withCredentials, forgetRevocations };
    const asked = {
      from: revision,
      with_credentials: withCredentials,
      forget_revocations: forgetRevocations,
    };
    const report = await auditingUnknownOnce(values, "restore", asked, () =>
      directory.actingFor(COMMAND_LINE, () => directory.history.restore(revision, options)),
    );
    if (!dryRun) {
      const { changes, lostKeys, endedSessions } = report;
      const counts = {
        changes: changes.length,
        lost_keys: [...lostKeys],
        ended_sessions: endedSessions.length,
      };
      await auditOnce(values, "restore", { ...asked, ...counts });
    }
    if (json) {
      for (const text of jsonTexts({ ...toJson(report, options), dry_run: dryRun }))
        await context.outToReader(text);
      context.out("\n");
    } else await context.outLines(linesOf(report, options));
    return EXIT.ok;
  });
}

/** Puts a backup in the place of the store. */
async function restoreFrom(call: CommandCall, flags: RestoreFlags, file: string): Promise<void> {
  const { at, dryRun, withCredentials, forgetRevocations = false, keepSessions = false, json } = flags;
  if ([at, dryRun, withCredentials].some((one) => one !== undefined)) {
    throw new AuthorizerError(
      "invalid_request",
      "--from takes neither --at nor --dry-run nor --with-credentials",
    );
  }
  const { context } = call;
  const { values } = loadServiceConfig(loadOptionsOf(context, flags));
  const warn = (message: string): void => context.err(`warning: ${message}\n`);
  await assertAuditable(values);
  const report = await restoreBackup(values, file, { forgetRevocations, keepSessions, warn });
  const { revision, at: time, replaced, kept, held, revived } = report;
  await auditOnce(values, "restore", {
    from: revision,
    file,
    replaced,
    forget_revocations: forgetRevocations,
  });
  if (json === true) context.out(`${JSON.stringify(report)}\n`);
  else {
    for (const { partition, key } of revived) {
      context.out(`${partition} ${JSON.stringify(key)}: was revoked since, and is in force again\n`);
    }
    if (held !== undefined) {
      const { keys, principals, users, sessions } = held;
      context.out(
        `stays revoked: ${keys} access keys, ${principals} external principals, ${users} users (inactive); sessions of ${sessions} users end\n`,
      );
    }
    if (kept !== undefined)
      context.out(`the store that was in its place (revision ${replaced ?? "unknown"}) is kept in ${kept}\n`);
    context.out(`restored the backup of revision ${revision} (${time})\n`);
  }
  context.finish(EXIT.ok);
}

function toJson(
  { from, changes, lostKeys, endedSessions, revocations }: RestoreReport,
  { forgetRevocations }: RestoreOptions,
) {
  const revoked = forgetRevocations
    ? { forgotten_revocations: revocations }
    : { kept_revocations: revocations };
  return { from, changes, lost_keys: lostKeys, ended_sessions: endedSessions, ...revoked };
}

function* linesOf(
  { from, changes, lostKeys, endedSessions, revocations }: RestoreReport,
  { dryRun, forgetRevocations }: RestoreOptions,
): Generator<string> {
  const counts = { create: 0, replace: 0, remove: 0 };
  for (const change of changes) {
    counts[change.change] += 1;
    yield lineOf(change);
  }
  for (const key of lostKeys) {
    yield `access key ${JSON.stringify(key)} is not restored: no present key opens its secret, or another user has it`;
  }
  for (const { kind, name } of revocations) {
    const now = forgetRevocations ? "was revoked since, and is in force again" : FATE[kind];
    yield `${kind} ${JSON.stringify(name)}: ${now}`;
  }
  const { create, replace, remove } = counts;
  const count = `${create} created, ${replace} replaced, ${remove} removed`;
  const sessions = `sessions of ${endedSessions.length} users end`;
  const done = dryRun ? "nothing was written (dry run)" : "done";
  yield `restore of revision ${from}: ${count}; ${sessions}; ${done}`;
}

function lineOf({ change, kind, name }: RestoredThing): string {
  return `${SIGNS[change]} ${kind} ${JSON.stringify(name)}`;
}
