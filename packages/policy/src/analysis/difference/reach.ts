/** The order of actions and lines by how much they reach. */

import type { DifferenceLine } from "./line.ts";

const WHOLE = /^(\*|[^:]+:\*)$/;
const DELETES = /:.*(Delete|Remove|Revert|Reset)/;

function rankOf(action: string): number {
  if (WHOLE.test(action)) return 0;
  if (DELETES.test(action)) return 1;
  return action.startsWith("auth:") ? 2 : 3;
}

/** Compares actions: whole services, deletes and `auth:*` first. */
export function byReach(one: string, other: string): number {
  return rankOf(one) - rankOf(other) || (one < other ? -1 : one > other ? 1 : 0);
}

function best({ actions, known }: DifferenceLine): number {
  return Math.min(4, ...actions.map(rankOf), ...known.map(rankOf));
}

/** Compares lines: first what is not known, then by their actions, then those of the most actions and resources. */
export function byReachOfLine(one: DifferenceLine, other: DifferenceLine): number {
  const undecided = (line: DifferenceLine) => (line.kind === "undecided" ? 0 : 1);
  return (
    undecided(one) - undecided(other) ||
    best(one) - best(other) ||
    other.known.length - one.known.length ||
    one.resource.length - other.resource.length ||
    (one.resource < other.resource ? -1 : 1)
  );
}
