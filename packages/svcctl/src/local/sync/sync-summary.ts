/** Prints the number of files that a transfer moved, as text or as a record. */

import type { CommandCall } from "../../command.ts";
import { printObject } from "../../output/print.ts";
import type { Tasks } from "./sync-types.ts";

/** Prints the summary of an operation, such as `Upload`. */
export function summaryOf(call: CommandCall, operation: string, tasks: Tasks): Promise<void> {
  const { green, yellow, red } = call.context.style;
  const { downloaded, uploaded, removed } = tasks;
  const none = downloaded + uploaded + removed === 0;
  const counts = [
    `${green("Downloaded:")} ${green(String(downloaded))}`,
    `${yellow("Uploaded:")} ${yellow(String(uploaded))}`,
    `${red("Removed:")} ${red(String(removed))}`,
  ];
  const lines = none ? "No changes\n" : `${counts.join("\n")}\n\n`;
  const record = { operation: operation.toLowerCase(), downloaded, uploaded, removed };
  return printObject(call, record, () => `\n${operation} Summary:\n\n${lines}`);
}
