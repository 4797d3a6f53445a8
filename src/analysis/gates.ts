/** The gate of list filtering: some statement of effect exactly `allow` has the action (evaluation.md §10). */

import type { NamedStatements } from "../model/policy.ts";
import { findText, UNDECIDED } from "./compare/pattern-language.ts";
import type { StatementPlace } from "./compare/rules.ts";

/** A statement that opens the gate for its actions. */
export interface Gate {
  readonly place: StatementPlace;
  readonly actions: readonly string[];
}

/** The gates of policies; resources, conditions and denies are ignored, as the gate does. */
export function gatesOf(policies: readonly NamedStatements[]): Gate[] {
  return policies.flatMap((policy) =>
    policy.statement.flatMap(({ effect, action }, statement) =>
      effect === "allow" ? [{ place: { policy: policy.name, statement }, actions: action }] : [],
    ),
  );
}

/** An action for which the gate opens that none of `before` opened; undefined when there is none. */
export function newlyOpened(gate: Gate, before: readonly Gate[]): string | undefined | typeof UNDECIDED {
  const known = [...new Set(before.flatMap(({ actions }) => actions))];
  let undecided = false;
  for (const action of gate.actions) {
    if (known.includes(action)) continue;
    const found = findText([action], known);
    if (found === UNDECIDED) undecided = true;
    else if (found !== undefined) return found;
  }
  return undecided ? UNDECIDED : undefined;
}
