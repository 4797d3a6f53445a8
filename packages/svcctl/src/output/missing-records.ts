/** The records that an answer does not have, of other nodes or lost: said first, so that nobody takes it for the whole. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import type { CommandContext } from "../command-context.ts";

/** Prints to standard error which nodes were not asked; nothing where there is none. */
export function printMissingNodes(context: Pick<CommandContext, "err">, answer: JsonObject): void {
  const { node, missing_nodes: missing } = answer;
  if (!Array.isArray(missing) || missing.length === 0) return;
  const names = missing.map((name) => safeText(String(name))).join(", ");
  const others = missing.length === 1 ? "another node was" : `${missing.length} other nodes were`;
  context.err(`only node ${safeText(String(node))} was asked; ${others} not: ${names}\n`);
}

/** Prints to standard error which filters find no masked values; nothing where there is none. */
export function printMaskedFilters(
  context: Pick<CommandContext, "err">,
  { masked_filters: masked }: JsonObject,
): void {
  if (!Array.isArray(masked) || masked.length === 0) return;
  const names = masked.map((name) => safeText(String(name))).join(", ");
  context.err(`warning: the log masks what was asked for (${names}): records with masked values are not found
`);
}

/** Prints to standard error how many records of the time of a list are lost; nothing where none are. */
export function printLostRecords(context: Pick<CommandContext, "err">, { lost }: JsonObject): void {
  if (typeof lost !== "number" || lost === 0) return;
  const [records, are] = lost === 1 ? ["record", "is"] : ["records", "are"];
  context.err(
    `warning: ${lost} ${records} of that time ${are} lost: there was no room, or they are damaged\n`,
  );
}
