/** Finds what a grant allows beyond the rights of its giver (spec/security §3.5), and describes it in words. */

import type { NamedStatements, Statement } from "../../model/policy.ts";
import { parseResourceText } from "../../model/resource-text.ts";
import { type Widening, type WideningOptions, widening } from "./widening.ts";

/** A grant, and who makes it. */
export interface Grant {
  readonly giver: string;
  /** The policies in force for the giver. */
  readonly held: readonly NamedStatements[];
  readonly granted: readonly NamedStatements[];
  /**
   * The user as whom the giver could act: `${user}` in the granted policies stands for this name. If it is absent,
   * `${user}` stands for the same name on both sides.
   */
  readonly actsAs?: string | undefined;
}

/** A right that a grant gives and its giver does not have. */
export interface ExcessRight {
  /** A request that becomes possible, or the statement that may make one possible, or why this is unknown. */
  readonly what: string;
  /** False: the grant may give it, but the comparison found no example. */
  readonly certain: boolean;
}

const USER = "${user}";
const WILDCARD = /[*?]/;
const ONE = 1;

/** A right that the grant gives and its giver does not have; undefined if there is none. */
export function excessRight(
  { giver, held, granted, actsAs }: Grant,
  options: Pick<WideningOptions, "partition" | "vocabulary">,
): ExcessRight | undefined {
  const [before, after] =
    actsAs === undefined ? [held, granted] : [boundTo(giver, held), boundTo(actsAs, granted)];
  const [found] = widening(before, after, { ...options, limit: ONE });
  return found === undefined ? undefined : { what: described(found), certain: found.certainty === "certain" };
}

/**
 * Policies as they are in force for a user of that name. For a name with wildcards, allows that contain `${user}` are
 * omitted, as in decisions (spec/security §3.1).
 */
function boundTo(username: string, policies: readonly NamedStatements[]): readonly NamedStatements[] {
  const isPattern = WILDCARD.test(username);
  return policies.map(({ name, statement }) => ({
    name,
    statement: statement
      .filter(({ effect, resource }) => !(isPattern && effect === "allow" && resource.includes(USER)))
      .map((one) => bound(username, one)),
  }));
}

function bound(username: string, statement: Statement): Statement {
  const resources = statement.resource.includes(USER) ? parseResourceText(statement.resource) : undefined;
  if (resources === undefined) return statement;
  const texts = resources.map((resource) => resource.replaceAll(USER, () => username));
  const [only] = texts;
  const resource = texts.length === 1 && only !== undefined ? only : JSON.stringify(texts);
  return { ...statement, resource };
}

function described({ counterexample, point, allowedBy }: Widening): string {
  const required = counterexample?.required ?? point;
  if (required !== undefined && "action" in required) return `${required.action} on ${required.resource}`;
  return `statement ${allowedBy.statement} of policy ${JSON.stringify(allowedBy.policy)}`;
}
