/** The forms of answers: what came from something else than the service, or for another question, decides nothing. */

import { ClientError } from "./client-error.ts";

/** The members of an answer, whatever they are. */
type Members = Readonly<Record<string, unknown>>;

/** Whether the members that an answer is about are there. */
export type AnswerForm = (answer: Members) => boolean;

/** A decision of AuthZEN. */
export const EVALUATION: AnswerForm = ({ decision }) => typeof decision === "boolean";

/** Decisions of AuthZEN, or the one of a call that has no list. */
export const EVALUATIONS: AnswerForm = (answer) => {
  const { evaluations } = answer;
  if (evaluations === undefined) return EVALUATION(answer);
  return Array.isArray(evaluations) && evaluations.every((one) => hasForm(one, EVALUATION));
};

/** A native decision. */
export const CHECK: AnswerForm = ({ allowed, effect }) => {
  return typeof allowed === "boolean" && allowed === (effect === "allow");
};

/** A simulation: a decision, a list, or the results of several cases. */
export const SIMULATION: AnswerForm = (answer) => {
  return Array.isArray(answer["results"]) || Array.isArray(answer["allowed"]) || CHECK(answer);
};

/** A plan. */
export const PLAN: AnswerForm = ({ kind, allow, deny }) => {
  const isKnown = kind === "always" || kind === "never" || kind === "conditional";
  return isKnown && Array.isArray(allow) && Array.isArray(deny);
};

/** A page of a search. */
export const SEARCH: AnswerForm = ({ results }) => Array.isArray(results);

/** The metadata of AuthZEN. */
export const METADATA: AnswerForm = ({ policy_decision_point: point }) => typeof point === "string";

/** Indexes of some of so many items, ascending. */
export function indexesOf(items: number): AnswerForm {
  return ({ allowed }) => {
    if (!Array.isArray(allowed)) return false;
    return allowed.every((index, place) => {
      return (
        Number.isInteger(index) && index >= 0 && index < items && (place === 0 || index > allowed[place - 1])
      );
    });
  };
}

/** Whether a value is an answer of a form. */
export function hasForm(value: unknown, form: AnswerForm): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && form(value as Members);
}

/**
 * Requires that what came is an answer.
 * @throws ClientError "unreadable"
 */
export function requireForm(body: unknown, form: AnswerForm): void {
  if (!hasForm(body, form)) {
    throw new ClientError(200, "the answer does not fit the question", [], { code: "unreadable" });
  }
}
