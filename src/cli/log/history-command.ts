/** Implements `svc-authorizer history`. */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { type ListedEntries, type ListedEntry, listEntries } from "../../compose/store/log-entries.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "../store/store-values.ts";

interface HistoryFlags extends ConfigFlags {
  readonly after?: number;
  readonly limit: number;
  readonly json?: boolean;
}

/** Names of a kind that a line shows. */
const SHOWN = 5;

/** The command on the command line. */
export async function history(call: CommandCall): Promise<void> {
  const flags = flagsOf<HistoryFlags>(call);
  const { after, limit, json = false } = flags;
  if (limit < 1) throw new AuthorizerError("invalid_request", "--limit: expected at least 1");
  if (after !== undefined && after < 0) {
    throw new AuthorizerError("invalid_request", "--after: expected a revision, 0 or more");
  }
  const { context } = call;
  const found = await listEntries(storeValues(context, flags), {
    limit,
    ...(after !== undefined && { after }),
  });
  if (json) context.out(`${JSON.stringify(found)}\n`);
  else await context.outLines(linesOf(found));
  context.finish(EXIT.ok);
}

function* linesOf({ entries, kept_from, newest }: ListedEntries): Generator<string> {
  for (const entry of entries) yield lineOf(entry);
  yield entries.length === 0
    ? `no entries; the newest revision is ${newest}`
    : `${entries.length} entries; states of revisions ${kept_from} to ${newest} can be read`;
}

function lineOf({ revision, at, actors, change }: ListedEntry): string {
  const { all, ...kinds } = change;
  const parts = Object.entries(kinds).map(([kind, names]) => `${kind} ${namesOf(names as string[])}`);
  const what = all === true ? ["everything"] : parts;
  const who = actors.length === 0 ? "-" : actors.map((name) => JSON.stringify(name)).join(", ");
  return [revision, at, who, what.join("; ") || "-"].join("  ");
}

/** JSON escapes whatever a name may hold. */
function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => JSON.stringify(name));
  return names.length > SHOWN ? `${shown.join(", ")} and ${names.length - SHOWN} more` : shown.join(", ");
}
