/** Policies as the text that people edit. */

import type { PolicyWrite } from "@svc-authorizer/contract/management-api.gen.ts";
import { readJson } from "../../parts/forms/read-json.ts";

/** The text with which a new policy begins. */
export const NEW_POLICY = `{
  "statement": [
    {
      "effect": "allow",
      "action": [""],
      "resource": ""
    }
  ]
}
`;

/** Returns the part of a policy that people edit as a text: lists of short texts stay in one line. */
export function textOf({ accept, statement }: Pick<PolicyWrite, "accept" | "statement">): string {
  const text = JSON.stringify({ ...(accept !== undefined && { accept }), statement }, null, 2);
  return `${text.replace(/\[\n\s+("(?:[^"\\\n]|\\.){0,60}")\n\s+\]/g, "[$1]")}\n`;
}

/**
 * Reads the text of a policy.
 * @throws Error with a message for people where it is no JSON object
 */
export function policyOf(text: string, id: string): PolicyWrite {
  const read = readJson(text, "The policy is not valid JSON");
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    throw new Error('The policy must be an object with the member "statement".');
  }
  return { ...(read as PolicyWrite), id };
}
