/** Policies as the text that people edit. */

import type { PolicyWrite } from "@svc-authorizer/contract/management-api.gen.ts";

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
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`The policy is not valid JSON: ${(error as Error).message}`);
  }
  refuseRepeated(text, read);
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    throw new Error('The policy must be an object with the member "statement".');
  }
  return { ...(read as PolicyWrite), id };
}

const TEXT_AND_COLON = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Refuses a JSON text in which an object has a member twice: reading it has kept one of them.
 * @param value the value of the text
 * @throws Error with a message for people
 */
export function refuseRepeated(text: string, value: unknown): void {
  const written = [...text.matchAll(TEXT_AND_COLON)].filter(([, colon]) => colon !== undefined).length;
  if (written !== membersIn(value))
    throw new Error("A member is there twice: of the two, one would be lost.");
}

function membersIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, one) => sum + membersIn(one), own);
}
