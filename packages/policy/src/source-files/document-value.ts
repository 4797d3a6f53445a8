/** Properties that every value of a document must have, whatever its schema: depth, texts, numbers. */

import { pointerOf } from "./source.ts";

/** Deepest nesting of a document's values, the default of `authorizer.limits.json_depth`. */
const MAX_DEPTH = 32;

/** Number of members of all objects in a parsed JSON value. Counting stops below a nesting that is refused anyway. */
export function countMembers(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item, depth + 1);
    return members;
  }
  for (const [, member] of Object.entries(value)) members += 1 + countMembers(member, depth + 1);
  return members;
}

/** A part of a value that no document may hold. */
interface InvalidPart {
  readonly pointer: string;
  readonly message: string;
}

function leafFault(value: unknown, isParsed: boolean): string | undefined {
  if (typeof value === "string" && !value.isWellFormed()) return "the text holds half of a surrogate pair";
  if (typeof value === "number" && !Number.isFinite(value)) return "the number is not finite";
  // What was parsed is exact: other numbers are texts by then.
  if (!isParsed && Number.isInteger(value) && !Number.isSafeInteger(value))
    return "the integer is too large to be held exactly: write it as a text";
  return undefined;
}

/**
 * Finds nesting over 32 levels, texts that are not Unicode, and numbers that JSON cannot write; at most `limit` of
 * them.
 * @param isParsed false for a value that a program made: its integers may be other ones than meant
 */
export function invalidParts(root: unknown, limit: number, isParsed = true): readonly InvalidPart[] {
  const found: InvalidPart[] = [];
  const path: (string | number)[] = [];
  const report = (message: string): void => {
    if (found.length < limit) found.push({ pointer: pointerOf(path), message });
  };
  const look = (value: unknown, segment: string | number): void => {
    path.push(segment);
    walk(value);
    path.pop();
  };
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) {
      const fault = leafFault(value, isParsed);
      if (fault !== undefined) report(fault);
      return;
    }
    if (path.length >= MAX_DEPTH) {
      report(`nested deeper than ${MAX_DEPTH} levels`);
      return;
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) look(value[index], index);
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      if (!name.isWellFormed()) report("a field name holds half of a surrogate pair");
      else look(member, name);
    }
  };
  walk(root);
  return found;
}
