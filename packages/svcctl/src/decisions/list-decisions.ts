/** `svcctl decisions list`. */

import { type JsonObject, openApi } from "../api/api-client.ts";
import { fetchPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { warnOfDoubts } from "../doubtful-question.ts";
import { printLostRecords, printMaskedFilters, printMissingNodes } from "../output/missing-records.ts";
import { printPage } from "../output/page.ts";
import type { Row } from "../output/records.ts";
import { decisionFilters, questionIn } from "./decision-filters.ts";
import { summaryOf } from "./record-summary.ts";

const COLUMNS = [
  { heading: "Time", name: "at", fields: ["at"] },
  { heading: "ID", name: "id", fields: ["id"] },
  { heading: "Subject", name: "subject", fields: [] },
  { heading: "Action", name: "action", fields: [] },
  { heading: "Resource", name: "resource", fields: [] },
  { heading: "Effect", name: "effect", fields: ["effect"] },
  { heading: "Decided by", name: "policies", fields: [] },
] as const;

/** Fetches and prints records. */
export async function listDecisions(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const page = await fetchPage(api, call, ["decisions"], decisionFilters(call.options));
  if (page.results.length === 0) await warnOfDoubts(call.context, questionIn(call.options), api);
  printMissingNodes(call.context, page.answer);
  printLostRecords(call.context, page.answer);
  printMaskedFilters(call.context, page.answer);
  await printPage(call, page, { columns: COLUMNS, isOurs: true, rowsOf: (record) => [rowOf(record)] });
}

function rowOf(record: JsonObject): Row {
  return { ...summaryOf(record) };
}
