/** The lines of `check-store` about policies of which an earlier version may have stored a part. */

import type { AuditedWrite } from "../../compose/store/audited-writes.ts";
import type { DoubtfulOrigin } from "../../directory/upkeep/doubtful-origins.ts";

/** A doubtful policy with the call that wrote it, where a file of the audit log names it. */
interface DoubtfulEntry extends Omit<DoubtfulOrigin, "document"> {
  readonly call?: AuditedWrite;
}

/** No log can tell this, whatever is kept. */
const NOT_KNOWN =
  "the members that were dropped are in no log: compare these policies with the files, or the programs, that wrote them";

/** Returns the lines about all of them. JSON escapes whatever a name may hold. */
export function* doubtfulLines(entries: readonly DoubtfulEntry[]): Generator<string> {
  for (const entry of entries) {
    const { policy, statements, former } = entry;
    const which = `${statements.length === 1 ? "statement" : "statements"} ${statements.join(", ")}`;
    yield `doubtful: policy ${JSON.stringify(policy)}: ${which}: an earlier version wrote it, and dropped members that it did not know: compare it with what was meant, and save it`;
    yield `  ${writtenText(entry)}`;
    for (const { statement, revision, condition } of former) {
      yield `  statement ${statement} had a condition at revision ${revision}: ${JSON.stringify(condition)}`;
    }
  }
  if (entries.length > 0) yield NOT_KNOWN;
}

function writtenText({ revision, at, actors, call }: DoubtfulEntry): string {
  const written = `written at revision ${revision}`;
  if (call !== undefined) {
    const { time, operation, actor, source_ip, request_id } = call;
    const from = source_ip === undefined ? "" : ` from ${source_ip}`;
    const request = request_id === undefined ? "" : `, request ${JSON.stringify(request_id)}`;
    return `${written}, ${time}: ${operation} by ${JSON.stringify(actor ?? "an unknown caller")}${from}${request}`;
  }
  if (at === undefined) return `${written}; by whom is not known: no log that was read goes back that far`;
  const who =
    actors.length === 0
      ? "by whom is not in the log"
      : `by ${actors.map((name) => JSON.stringify(name)).join(", ")}`;
  return `${written}, ${at}, ${who}`;
}
