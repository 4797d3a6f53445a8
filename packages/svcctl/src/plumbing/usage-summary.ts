/** `svcctl usage summary`. */

import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";

export async function usageSummary(call: CommandCall): Promise<void> {
  const api = openApi(call.context);
  const path = ["usage-report", "summary"];
  const summary = await api.fetchObject({ method: "GET", path, expect: 200 }).catch((error: unknown) => {
    // A server that keeps no report says so with 404: that is an answer, and no missing page.
    if (error instanceof ApiFailure && error.status === 404) throw new Error(error.message, { cause: error });
    throw error;
  });
  const reports = Array.isArray(summary["reports"]) ? summary["reports"].filter(isObject) : [];
  const { gridText, plainRows } = await import("../output/table.ts");
  await printObject(call, summary, () => {
    const rows = reports.map(({ year, month, count }) => [Number(year), Number(month), Number(count)]);
    const table = call.context.terminal ? gridText(["Year", "Month", "Usage"], rows) : plainRows(rows);
    const id = safeText(textField(summary, "installation_id"));
    return `Usage report for installation ID: ${id}\n\n${table}\n`;
  });
}
