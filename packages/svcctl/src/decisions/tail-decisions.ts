/** `svcctl decisions tail`: the stream of records (server-sent events). */

import { type JsonObject, openApi } from "../api/api-client.ts";
import { recordEvents, wantedRecords } from "../api/record-events.ts";
import type { CommandCall } from "../command.ts";
import { warnOfDoubts } from "../doubtful-question.ts";
import { decisionFilters, questionIn } from "./decision-filters.ts";
import { summaryOf } from "./record-summary.ts";

/** Prints records, with `--count` so many. Rejects where the stream ends before. */
export async function tailDecisions(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const wanted = wantedRecords(options);
  let printed = 0;
  await warnOfDoubts(context, questionIn(options), openApi(context));
  for await (const record of recordEvents(context, ["decisions", "stream"], decisionFilters(options))) {
    context.out(options["json"] === true ? `${JSON.stringify(record)}\n` : `${lineOf(record)}\n`);
    if (++printed >= wanted) return;
  }
}

function lineOf(record: JsonObject): string {
  const { at, id, subject, action, resource, effect, policies } = summaryOf(record);
  return [at, id, effect, subject, action, resource, policies.join(",")].join("  ");
}
