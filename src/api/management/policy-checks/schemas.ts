/** Bodies of the checks of policies (console.md §4). */

import type { Schema, Schemas } from "../../../http/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema-forms.ts";

const DOCUMENT: Schema = {
  type: ["string", "object"],
  description: "The policy: a JSON text, or an object with `statement`.",
};

/** Schemas of the checks. */
export const POLICY_CHECK_SCHEMAS: Schemas = {
  PolicyLintRequest: closedObject(
    {
      document: DOCUMENT,
      name: { type: ["string", "null"], description: "Name of the policy, if the document has none." },
    },
    ["document"],
  ),
  PolicyFinding: object(
    {
      severity: { enum: ["error", "warning"] },
      rule: { enum: ["syntax", "form", "guard", "doubtful", "self-escalation"] },
      message: text("What is wrong, for people."),
      pointer: text("JSON pointer of the value that it is about."),
      line: { type: "integer", minimum: 1, description: "Line; absent where the document was an object." },
      column: { type: "integer", minimum: 1, description: "Column." },
    },
    ["severity", "rule", "message", "pointer"],
  ),
  PolicyLintAnswer: object({
    errors: { type: "integer", minimum: 0 },
    warnings: { type: "integer", minimum: 0 },
    complete: {
      type: "boolean",
      description: "False if there are more findings than 200, or the check took too long.",
    },
    findings: listOf(schemaRef("PolicyFinding"), "In the order of their places."),
  }),
};
