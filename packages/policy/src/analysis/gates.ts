/** The gate of list filtering: some statement of effect exactly `allow` has the action (spec/evaluation §10). */

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

/** The action patterns of gates, each once. */
export function openedBy(gates: readonly Gate[]): ReadonlySet<string> {
  return new Set(gates.flatMap(({ actions }) => actions));
}

/** An action for which the gate opens that no pattern of `before` opened; undefined when there is none. */
export function newlyOpened(gate: Gate, before: ReadonlySet<string>): string | undefined | typeof UNDECIDED {
  let known: readonly string[] | undefined;
  let undecided = false;
  for (const action of gate.actions) {
    if (before.has(action)) continue;
    known ??= [...before];
    const found = findText([action], known);
    if (found === UNDECIDED) undecided = true;
    else if (found !== undefined) return found;
  }
  return undecided ? UNDECIDED : undefined;
}
