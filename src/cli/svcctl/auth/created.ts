/** What is printed after a user or a group was created. */

import { safeText } from "../../safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { textField } from "../output/fields.ts";
import { jsonText } from "../output/json-text.ts";

/** Prints a user or group that was just created. */
export function printCreated({ context, options }: CommandCall, message: string, created: JsonObject): void {
  const { green, bold } = context.style;
  const id = safeText(textField(created, "id"));
  const date = formatDate(created["creation_date"]);
  const text = `${green(message)}\nID: ${bold(id)}\nCreation Date: ${date}\n`;
  context.out(options["json"] === true ? jsonText(created) : text);
}
