/** Values out of bodies whose shape was validated: null counts as absent. */

import type { Policy, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { invalidRequest } from "../../http/errors.ts";

/** A body with statements, as it came. */
export interface GivenStatements {
  readonly statement: readonly {
    readonly sid?: string | null;
    readonly effect: string;
    readonly action: readonly string[];
    readonly resource: string;
    readonly condition?: Statement["condition"] | null;
  }[];
}

/** The statements of a policy. What a statement does not have is left for the use case to refuse. */
export function statementsOf({ statement }: GivenStatements): readonly Statement[] {
  const read = statement.map(({ sid, ...rest }) => (typeof sid === "string" ? { sid, ...rest } : rest));
  return read as readonly Statement[];
}

/** A body with findings of lint that somebody accepted, as it came. */
export interface GivenAcceptances {
  readonly accept?: readonly {
    readonly rule: string;
    readonly sid?: string | null;
    readonly reason: string;
  }[];
}

const RULE = /^[a-z][a-z-]{0,63}$/;
const MOST_ACCEPTED = 100;
const LONGEST_REASON = 1_000;

/**
 * The member `accept` of a policy; nothing where there are no entries.
 * @throws AuthorizerError "invalid_request" with all problems of the entries
 */
export function acceptOf({ accept = [] }: GivenAcceptances): Pick<Policy, "accept"> {
  const problems = accept.flatMap(({ rule, reason }, index) => [
    ...(RULE.test(rule) ? [] : [{ pointer: `/accept/${index}/rule`, message: "is no name of a rule" }]),
    ...(reason.trim() !== "" && reason.length <= LONGEST_REASON
      ? []
      : [{ pointer: `/accept/${index}/reason`, message: `must have 1 to ${LONGEST_REASON} characters` }]),
  ]);
  if (accept.length > MOST_ACCEPTED)
    problems.push({ pointer: "/accept", message: `must have at most ${MOST_ACCEPTED} entries` });
  if (problems.length > 0) throw invalidRequest(problems);
  const entries = accept.map(({ rule, sid, reason }) => ({
    rule,
    ...(typeof sid === "string" && { sid }),
    reason,
  }));
  return entries.length === 0 ? {} : { accept: entries };
}

/** The members of an object that are given: neither undefined nor null. */
export function given<T extends Record<string, unknown>>(
  members: T,
): { [Name in keyof T]?: Exclude<T[Name], null | undefined> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as never;
}

/** The refusal of one member of a body. */
export function faulty(name: string, message: string): Error {
  return invalidRequest([{ pointer: `/${name}`, message }]);
}
