/** Policies given in a request: their types were checked, their sense is not (decision-api.md §3, `/simulate`). */

import type { NamedStatements, Statement } from "../../../model/policy.ts";

/** A policy of a body that was checked. A stored policy's other members are accepted and not used. */
export interface GivenPolicy {
  readonly name: string;
  readonly statement: readonly GivenStatement[];
}

interface GivenStatement extends Omit<Statement, "sid"> {
  readonly sid?: string | null;
}

/** Returns policies, with a pause after each. */
export function* policiesInSteps(
  given: readonly GivenPolicy[],
): Generator<undefined, readonly NamedStatements[]> {
  const policies: NamedStatements[] = [];
  for (const { name, statement } of given) {
    policies.push({ name, statement: statement.map(statementOf) });
    yield;
  }
  return policies;
}

function statementOf({ sid, effect, action, resource, condition }: GivenStatement): Statement {
  return {
    ...(typeof sid === "string" ? { sid } : {}),
    effect,
    action,
    resource,
    ...(condition === undefined || condition === null ? {} : { condition }),
  };
}
