/** Implements `svc-authorizer restore`. */

import { auditingUnknownOnce, auditOnce } from "../../../compose/store/offline-store.ts";
import type { RestoredThing, RestoreOptions, RestoreReport } from "../../../directory/history.ts";
import { EXIT } from "../../exit-codes.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { COMMAND_LINE, withData } from "../store/open-data.ts";
import { revisionOf } from "./past-state.ts";

interface RestoreFlags extends ConfigFlags {
  readonly at: string;
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
  const { at, dryRun = false, withCredentials = false, forgetRevocations = false, json = false } = flags;
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
      const counts = { changes: changes.length, lost_keys: lostKeys, ended_sessions: endedSessions.length };
      await auditOnce(values, "restore", { ...asked, ...counts });
    }
    if (json) context.out(`${JSON.stringify({ ...toJson(report, options), dry_run: dryRun })}\n`);
    else for (const line of linesOf(report, options)) context.out(`${line}\n`);
    return EXIT.ok;
  });
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
  for (const change of changes) yield lineOf(change);
  for (const key of lostKeys) {
    yield `access key ${JSON.stringify(key)} is not restored: no present key opens its secret, or another user has it`;
  }
  for (const { kind, name } of revocations) {
    const now = forgetRevocations ? "was revoked since, and is in force again" : FATE[kind];
    yield `${kind} ${JSON.stringify(name)}: ${now}`;
  }
  const count = (change: RestoredThing["change"]) => changes.filter((one) => one.change === change).length;
  const counts = `${count("create")} created, ${count("replace")} replaced, ${count("remove")} removed`;
  const sessions = `sessions of ${endedSessions.length} users end`;
  const done = dryRun ? "nothing was written (dry run)" : "done";
  yield `restore of revision ${from}: ${counts}; ${sessions}; ${done}`;
}

function lineOf({ change, kind, name }: RestoredThing): string {
  return `${SIGNS[change]} ${kind} ${JSON.stringify(name)}`;
}
