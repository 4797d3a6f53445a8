/** Runs commands that change something and print a sentence (`ChangeRequest`). */

import { openApi } from "../api/api-client.ts";
import { fillPath } from "../api/path-template.ts";
import type { CommandRun } from "../command.ts";
import { printDone } from "../output/print.ts";
import { queryOf } from "./query-options.ts";
import type { ChangeRequest } from "./request-types.ts";

/** The command that makes the change. */
export function changing({ method, path, query, body, expect, done }: ChangeRequest): CommandRun {
  return async (call) => {
    const api = openApi(call.context);
    const request = {
      method,
      path: await fillPath(api, call, path),
      query: queryOf(call, query),
      ...(body !== undefined && { body }),
    };
    await api.perform({ ...request, expect });
    await printDone(call, done);
  };
}
