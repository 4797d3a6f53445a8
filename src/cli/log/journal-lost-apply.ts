/** Implements `svc-authorizer journal lost apply`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { lostChangesOf } from "../../compose/store/lost-file.ts";
import { auditingUnknownOnce, auditOnce } from "../../compose/store/offline-store.ts";
import type { LostGroup, LostReport, LostThing } from "../../directory/lost-changes.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { COMMAND_LINE, withData } from "../store/open-data.ts";

interface ApplyFlags extends ConfigFlags {
  readonly file: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const SIGNS = { create: "+", replace: "~", remove: "-" } as const;

/** The command on the command line. */
export async function journalLostApply(call: CommandCall): Promise<void> {
  const flags = flagsOf<ApplyFlags>(call);
  const { file, yes = false, json = false } = flags;
  const { context } = call;
  const lost = await lostChangesOf(file);
  return withData(call, flags, async ({ directory, values }) => {
    const apply = (dryRun: boolean): Promise<LostReport> =>
      directory.actingFor(COMMAND_LINE, () => directory.history.applyLost(lost, { dryRun }));
    const report = yes
      ? await auditingUnknownOnce(values, "restore", { lost: file }, () => apply(false))
      : await apply(true);
    const refused = report.groups.filter(({ refusals }) => refusals.length > 0).length;
    const fitting = report.groups.length - refused;
    if (yes) await auditOnce(values, "restore", { lost: file, applied: fitting, refused });
    if (json) context.out(`${JSON.stringify(toJson(report, yes))}\n`);
    else await context.outLines(linesOf(report, yes));
    return refused === 0 ? EXIT.ok : EXIT.failed;
  });
}

function toJson({ groups, unchanged, leftOut }: LostReport, applied: boolean): object {
  return { applied, groups, unchanged, left_out: leftOut };
}

function* linesOf({ groups, unchanged, leftOut }: LostReport, isApplied: boolean): Generator<string> {
  for (const group of groups) {
    yield headOf(group);
    for (const thing of group.things) yield `  ${lineOf(thing)}`;
    for (const reason of group.refusals) yield `  refused: ${reason}`;
  }
  const others = Object.entries(leftOut).map(([partition, count]) => `${count} of ${partition}`);
  if (others.length > 0)
    yield `not made again (mails, invitations, state of the service): ${others.join(", ")}`;
  const refused = groups.filter(({ refusals }) => refusals.length > 0).length;
  const fitting = groups.length - refused;
  const did = isApplied ? "made again" : "would be made again (--yes does it)";
  yield `${fitting} of ${groups.length} ${did}, ${refused} no longer fit; ${unchanged} records are as they were`;
}

function headOf({ entries, actors, refusals }: LostGroup): string {
  const which = entries.length === 0 ? "not known which entry" : `entry ${entries.join(", ")}`;
  const who = actors.length === 0 ? "" : ` (${actors.map((name) => JSON.stringify(name)).join(", ")})`;
  return `${which}${who}${refusals.length === 0 ? "" : ": not made again"}`;
}

/** JSON escapes whatever a name may hold. */
function lineOf({ change, kind, name }: LostThing): string {
  return `${SIGNS[change]} ${kind} ${JSON.stringify(name)}`;
}
