/** Implements `svc-authorizer restore`. */

import { auditingUnknownOnce, auditOnce } from "../../../compose/store/offline-store.ts";
import type { RestoredThing, RestoreReport } from "../../../directory/history.ts";
import { EXIT } from "../../exit-codes.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { COMMAND_LINE, withData } from "../store/open-data.ts";
import { revisionOf } from "./past-state.ts";

interface RestoreFlags extends ConfigFlags {
  readonly at: string;
  readonly dryRun?: boolean;
  readonly withCredentials?: boolean;
  readonly json?: boolean;
}

const SIGNS = { create: "+", replace: "~", remove: "-" } as const;

/** The command on the command line. */
export function restore(call: CommandCall): Promise<void> {
  const flags = flagsOf<RestoreFlags>(call);
  const { at, dryRun = false, withCredentials = false, json = false } = flags;
  const { context } = call;
  return withData(call, flags, async ({ directory, values }) => {
    const revision = await revisionOf(at, directory.history);
    const asked = { from: revision, with_credentials: withCredentials };
    const report = await auditingUnknownOnce(values, "restore", asked, () =>
      directory.actingFor(COMMAND_LINE, () =>
        directory.history.restore(revision, { dryRun, withCredentials }),
      ),
    );
    if (!dryRun) {
      const { changes, lostKeys, endedSessions } = report;
      const counts = { changes: changes.length, lost_keys: lostKeys, ended_sessions: endedSessions.length };
      await auditOnce(values, "restore", { ...asked, ...counts });
    }
    if (json) context.out(`${JSON.stringify({ ...toJson(report), dry_run: dryRun })}\n`);
    else for (const line of linesOf(report, dryRun)) context.out(`${line}\n`);
    return EXIT.ok;
  });
}

function toJson({ from, changes, lostKeys, endedSessions }: RestoreReport) {
  return { from, changes, lost_keys: lostKeys, ended_sessions: endedSessions };
}

function* linesOf(
  { from, changes, lostKeys, endedSessions }: RestoreReport,
  dryRun: boolean,
): Generator<string> {
  for (const change of changes) yield lineOf(change);
  for (const key of lostKeys) {
    yield `access key ${JSON.stringify(key)} is not restored: no present key opens its secret, or another user has it`;
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
