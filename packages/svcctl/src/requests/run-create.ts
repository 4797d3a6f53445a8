/** Runs commands that create a user or a group. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandRun } from "../command.ts";
import { given } from "../given.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { printObject } from "../output/print.ts";

/** The command that creates what the option `--id` names, below a path. */
export function creating({ path, done }: { path: readonly string[]; done: string }): CommandRun {
  return async (call) => {
    const body = { id: given(call, "id") };
    const created = await openApi(call.context).fetchObject({ method: "POST", path, body, expect: 201 });
    const { green, bold } = call.context.style;
    await printObject(call, created, () => {
      const id = bold(safeText(textField(created, "id")));
      return `${green(done)}\nID: ${id}\nCreation Date: ${formatDate(created["creation_date"])}\n`;
    });
  };
}
