/** Runs commands that show one object as lines (`ShowRequest`). */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import { fillPath } from "../api/path-template.ts";
import type { CommandRun } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { printObject } from "../output/print.ts";
import { rowOf } from "../output/records.ts";
import { queryOf } from "./query-options.ts";
import type { ShowRequest } from "./request-types.ts";

/** The command that fetches and prints the object. */
export function showing({ path, query, columns }: ShowRequest): CommandRun {
  return async (call) => {
    const api = openApi(call.context);
    const request = { path: await fillPath(api, call, path), query: queryOf(call, query) };
    const object = await api.fetchObject({ method: "GET", ...request, expect: 200 });
    const row = rowOf(columns, object);
    const { bold } = call.context.style;
    await printObject(call, object, () =>
      columns
        .map(({ heading, name, kind }) => {
          const value = kind === "date" ? formatDate(row[name]) : bold(safeText(String(row[name] ?? "")));
          return `${heading}: ${value}\n`;
        })
        .join(""),
    );
  };
}
