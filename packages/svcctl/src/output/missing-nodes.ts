/** The nodes that an answer about records is not from: said first, so that nobody takes it for the whole. */

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
