/** What a grant gives beyond what its giver holds (security.md §3.5): the comparison of policies, put into words. */

import type { NamedStatements, Statement } from "../model/policy.ts";
import { parseResourceText } from "../model/resource-text.ts";
import { type Widening, type WideningOptions, widening } from "./widening.ts";

/** A grant, and who makes it. */
export interface Grant {
  readonly giver: string;
  /** The policies in force for the giver. */
  readonly held: readonly NamedStatements[];
  readonly granted: readonly NamedStatements[];
  /**
   * Whose name `${user}` in the granted policies stands for, where the giver could act as that user. Absent: it stands
   * for the same name on both sides.
   */
  readonly actsAs?: string | undefined;
}

/** What a grant gives that its giver lacks. */
export interface Beyond {
  /** A request that becomes possible, else the statement that may make one possible, else why nobody can tell. */
  readonly what: string;
  /** False: it may give that, which could not be shown. */
  readonly certain: boolean;
}

const USER = "${user}";
const WILDCARD = /[*?]/;
const ONE = 1;

/** One thing that the grant gives and its giver lacks; undefined where there is none. */
export function beyondHeld(
  { giver, held, granted, actsAs }: Grant,
  options: Pick<WideningOptions, "partition" | "vocabulary">,
): Beyond | undefined {
  const [before, after] =
    actsAs === undefined ? [held, granted] : [boundTo(giver, held), boundTo(actsAs, granted)];
  const [found] = widening(before, after, { ...options, limit: ONE });
  return found === undefined ? undefined : { what: described(found), certain: found.certainty === "certain" };
}

/**
 * Policies as they are in force for a user of that name. A name with wildcards stands for nobody else: such allows are
 * left out, as they are where decisions are made (security.md §3.1).
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
