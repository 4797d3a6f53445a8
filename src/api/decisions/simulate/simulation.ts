/** The cases of `/simulate` (spec/decision-api §3), from bodies that were checked. */

import type { RequiredLeaf } from "@svc-authorizer/policy/model/decision.ts";
import type { SimulationCase } from "../../../decisions/decisions.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { DecisionLimits } from "../limits.ts";
import { contextOf, FieldReader } from "../native/native-fields.ts";
import { readRequired } from "../native/required.ts";
import { type GivenPolicy, policiesInSteps } from "./policies.ts";

/** Modes of cases that have none of their own: the fields beside `cases`. */
export interface CaseModes {
  readonly evaluator?: SimulationCase["evaluator"];
  readonly explain?: boolean;
}

/** Changes of the policies of a real user. */
interface Changes {
  readonly user?: string;
  readonly replace?: readonly GivenPolicy[];
  readonly remove?: readonly string[];
}

/** A case of a body. `candidate: {replace, remove}` means the same as its fields beside `user`. */
export interface GivenCase extends CaseModes, Changes {
  readonly policies?: readonly GivenPolicy[];
  readonly candidate?: Changes;
  readonly required?: unknown;
  readonly list?: RequiredLeaf;
  readonly context?: unknown;
}

/**
 * Returns a case, with pauses.
 * @param pointer where it is in the body
 */
export function* caseInSteps(
  given: GivenCase,
  pointer: string,
  defaults: CaseModes,
  limits: DecisionLimits,
  requestId: string,
): Generator<undefined, SimulationCase> {
  const { candidate = {}, policies, required, list, context } = given;
  const twice = Object.keys(candidate).filter((name) => Object.hasOwn(given, name));
  if (twice.length > 0) {
    throw invalidRequest(
      twice.map((name) => ({ pointer: `${pointer}/candidate/${name}`, message: "given twice" })),
    );
  }
  const { user, replace = [], remove = [] } = { ...candidate, ...given };
  const evaluator = given.evaluator ?? defaults.evaluator ?? "extended";
  const replaceAt = candidate.replace === undefined ? `${pointer}/replace` : `${pointer}/candidate/replace`;
  const source =
    policies === undefined
      ? { candidate: { replace: yield* policiesInSteps(replace, replaceAt, limits), remove } }
      : { policies: yield* policiesInSteps(policies, `${pointer}/policies`, limits) };
  const asWritten = evaluator === "data_server";
  const question =
    list === undefined
      ? { required: readRequired(new FieldReader(), { value: required, pointer }, limits, asWritten) }
      : { list };
  return {
    user: user as string,
    ...source,
    ...question,
    context: contextOf(context),
    evaluator,
    explain: given.explain ?? defaults.explain ?? false,
    requestId,
  };
}
