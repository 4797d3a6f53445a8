/** Lines of a difference: what one side of a comparison allows and the other does not. */

import type { FieldValue } from "../../model/decision.ts";
import type { Condition } from "../../model/policy.ts";
import type { StatementPlace } from "../compare/rules.ts";

/** Actions on resources. */
interface AccessArea {
  /** Patterns of actions. */
  readonly actions: readonly string[];
  /** One pattern of resources; `${user}` stands for the name of the user. */
  readonly resource: string;
}

/** An area that a line leaves out. */
export interface LineException extends AccessArea {
  /** It is left out only where this condition holds. */
  readonly condition?: Condition;
}

/** A request of a line. */
interface LineExample {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, FieldValue>>;
  readonly user: string;
  /** False if no known action is asked about such a resource. */
  readonly possible: boolean;
}

/** The comparison of the conditions of a line with those on the other side. */
export type ConditionComparison =
  | { readonly kind: "equal" | "wider" | "new" }
  | { readonly kind: "incomparable"; readonly other: Condition };

/** One line. */
export interface DifferenceLine extends AccessArea {
  /**
   * `area`: requests for the actions on the resources. `list`: the actions may be asked for lists, whatever the resource
   * (spec/evaluation §10). `failure`: everything, in requests in which a statement on the other side cannot be evaluated.
   * `undecided`: nothing is known about it; `why` says what.
   */
  readonly kind: "area" | "list" | "failure" | "undecided";
  /** Known actions among them. */
  readonly known: readonly string[];
  readonly exceptions: readonly LineException[];
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
  readonly comparison: ConditionComparison;
  /**
   * `certain`: the engine decides an example differently. `possible`: it depends on conditions in a way for which no
   * example was found. `undecided`: the comparison gave up.
   */
  readonly certainty: "certain" | "possible" | "undecided";
  readonly why?: string;
  readonly example?: LineExample;
  /** The effect of the example on the side that does not allow. */
  readonly refused?: "neutral" | "deny";
  /** The statements that allow, on the side that allows. */
  readonly allowedBy: readonly StatementPlace[];
  /** The statements that denied it, on the other side. */
  readonly deniedBy: readonly StatementPlace[];
  /** The line is about this user alone. */
  readonly user?: string;
  /** The line is not about these users, who have lines of their own: policies contain their names. */
  readonly notFor?: readonly string[];
}

/** The whole difference. */
export interface AccessDifference {
  readonly gains: readonly DifferenceLine[];
  readonly losses: readonly DifferenceLine[];
  /** Sentences about what is not in the lists; empty if they are complete. */
  readonly leftOut: readonly string[];
}
