/** Runs commands that list (`ListRequest`). */

import { type JsonObject, openApi } from "../api/api-client.ts";
import { fetchPage, isObject } from "../api/pages.ts";
import { fillPath } from "../api/path-template.ts";
import type { CommandRun } from "../command.ts";
import { printPage } from "../output/page.ts";
import type { Row } from "../output/records.ts";
import { queryOf } from "./query-options.ts";
import type { ListRequest } from "./request-types.ts";

/** The command that fetches and prints a list. */
export function listing({ path, columns, statements, switches = [], query }: ListRequest): CommandRun {
  return async (call) => {
    const api = openApi(call.context);
    const chosen = Object.fromEntries(switches.map((name) => [name, call.options[name] === true]));
    const asked = { ...chosen, ...queryOf(call, query) };
    const page = await fetchPage(api, call, await fillPath(api, call, path), asked);
    await printPage(call, page, { columns, ...(statements === true && { rowsOf: statementRows }) });
  };
}

/** One row for each statement of a policy, with all that restricts it. */
function statementRows(policy: JsonObject): readonly Row[] {
  const statements = Array.isArray(policy["statement"]) ? policy["statement"] : [];
  return statements.map(({ resource, effect, action, condition, sid }: JsonObject, index) => ({
    policy: policy["id"],
    creation_date: policy["creation_date"],
    statement: index,
    resource,
    effect,
    action,
    ...(isObject(condition) && { condition }),
    ...(sid !== undefined && sid !== null && { sid }),
  }));
}
