/** "Did you mean" for actions. */

import { actionNames } from "../../catalog/template-summaries.ts";
import { closestName } from "../../config/suggest.ts";
import { safeText } from "../safe-text.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * Warns of an action that the data server does not have, of a service that it has: a mistyped one is refused to
 * everybody, which looks like an answer.
 */
export function warnOfUnknownAction(context: CommandContext, action: string): void {
  const known = actionNames();
  if (known.includes(action)) return;
  const service = action.slice(0, action.indexOf(":") + 1);
  const meant = closestName(action, known);
  const isOurs = service !== "" && known.some((name) => name.startsWith(service));
  // A service that a resource type declares has actions of its own.
  if (!isOurs && (meant === undefined || service !== "")) return;
  const hint = meant === undefined ? "" : ` (did you mean ${meant}?)`;
  context.err(`warning: the data server has no action ${safeText(action)}${hint}\n`);
}
