/** The texts in conditions: variables that the plan left open, and escapes (spec/decision-api §4.2). */

import { parseTemplate } from "@svc-authorizer/policy/model/condition-variables.ts";
import type { Pattern } from "./dialect.ts";
import { UntranslatablePlanError } from "./residual-patterns.ts";

/**
 * The pieces of a value of an operator that reads variables.
 * @throws UntranslatablePlanError for a variable whose value the plan does not know
 */
export function piecesOf(value: string): Pattern {
  const template = parseTemplate(value);
  if ("problem" in template) {
    throw new UntranslatablePlanError(`the condition value ${JSON.stringify(value)} ${template.problem}`);
  }
  return template.parts.map((part) => {
    if ("text" in part) return part;
    throw new UntranslatablePlanError(
      `the condition value ${JSON.stringify(value)} reads ${part.variable}, which the plan does not know`,
    );
  });
}

/** The text of a value that is compared as it is. */
export function textOfPieces(value: string): string {
  return piecesOf(value)
    .map(({ text }) => text)
    .join("");
}
