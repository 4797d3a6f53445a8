/** The telling of an entry to those who follow a log. */

import type { CommittedChange, EntryWrites } from "./port.ts";
import type { EntryName } from "./replica.ts";

/** An entry as those who follow the log see it; `body` needs no more of its writes than its first line says. */
export function committedChange(
  { revision, id, at, node }: EntryName,
  { useCases = [], change }: Pick<EntryWrites, "useCases" | "change">,
): CommittedChange {
  return { revision, id, at, node, useCases, ...(change !== undefined && { change }) };
}

/** A whole state that replaced another one, or an entry of which no more is known: anything may have changed. */
export function wholeStateChange(last: EntryName): CommittedChange {
  return committedChange(last, { useCases: [{ touched: { all: true } }], change: { all: true } });
}
