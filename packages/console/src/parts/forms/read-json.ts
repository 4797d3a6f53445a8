/** JSON that people type, with nothing lost on the way. */

import { canonicalDecimal } from "@svc-authorizer/policy/decimal.ts";

type Reviver = (name: string, value: unknown, context?: { readonly source?: string }) => unknown;

/**
 * Reads a JSON text. A number that no double is becomes the text of its digits, which is the same to conditions.
 * @param fault begins the message about a text that is not JSON
 * @throws Error with a message for people, also where an object has a member twice
 */
export function readJson(text: string, fault: string): unknown {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`${fault}: ${(error as Error).message}`);
  }
  refuseRepeated(text, read);
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
}

const exact: Reviver = (_name, value, context) => {
  if (typeof value !== "number") return value;
  // Older browsers do not say how a number is written.
  const digits = canonicalDecimal(context?.source ?? "");
  if (digits !== undefined) return digits === JSON.stringify(value) ? value : digits;
  if (context?.source === undefined && Number.isSafeInteger(value)) return value;
  throw new Error(`${context?.source ?? value} may not be the number that is meant: write it as a text.`);
};

const TEXT_AND_COLON = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Refuses a JSON text in which an object has a member twice: reading it has kept one of them.
 * @param value the value of the text
 * @throws Error with a message for people
 */
function refuseRepeated(text: string, value: unknown): void {
  const written = [...text.matchAll(TEXT_AND_COLON)].filter(([, colon]) => colon !== undefined).length;
  if (written !== membersIn(value))
    throw new Error("A member is there twice: of the two, one would be lost.");
}

function membersIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce<number>((sum, one) => sum + membersIn(one), own);
}
