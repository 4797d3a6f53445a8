/** Policies given in a request: their types were checked, their sense is not (spec/decision-api §3, `/simulate`). */

import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { DecisionLimits } from "../limits.ts";

/** A policy of a body that was checked. A stored policy's other members are accepted and not used. */
export interface GivenPolicy {
  readonly name: string;
  readonly statement: readonly GivenStatement[];
}

interface GivenStatement extends Omit<Statement, "sid"> {
  readonly sid?: string | null;
}

/**
 * Returns policies, with a pause after each. None may be larger than one that is stored: a statement is compiled in one
 * go.
 * @param at where they are in the body
 * @throws AuthorizerError "invalid_request"
 */
export function* policiesInSteps(
  given: readonly GivenPolicy[],
  at: string,
  { policyBytes }: Pick<DecisionLimits, "policyBytes">,
): Generator<undefined, readonly NamedStatements[]> {
  const policies: NamedStatements[] = [];
  for (const [index, { name, statement }] of given.entries()) {
    if (isLonger(statement, policyBytes)) {
      const message = `more than ${policyBytes} bytes; split the policy`;
      throw invalidRequest([{ pointer: `${at}/${index}/statement`, message }]);
    }
    policies.push({ name, statement: statement.map(statementOf) });
    yield;
  }
  return policies;
}

/** True if the texts of statements have more bytes. */
function isLonger(statements: readonly GivenStatement[], most: number): boolean {
  let left = most;
  const takes = (text: string): boolean => {
    // Each stands between quotes, behind a comma.
    left -= Buffer.byteLength(text) + 3;
    return left < 0;
  };
  return statements.some(
    ({ action, resource, condition }) =>
      takes(resource) ||
      action.some(takes) ||
      Object.values(condition ?? {}).some((fields) =>
        Object.entries(fields).some(([field, values]) => takes(field) || values.some(takes)),
      ),
  );
}

function statementOf({ sid, condition, ...rest }: GivenStatement): Statement {
  return {
    ...(typeof sid === "string" ? { sid } : {}),
    ...rest,
    ...(condition === undefined || condition === null ? {} : { condition }),
  };
}
