/** Bodies as JSON. A number that JavaScript does not hold exactly would stand for another one, and is never sent. */

type RawJson = { readonly rawJSON?: (text: string) => unknown };

/**
 * The JSON of a body; a bigint is sent as its digits.
 * @throws TypeError for a number that is no finite one, or an integer beyond 2^53 − 1
 */
export function bodyText(body: unknown): string {
  return refuseUnsafe(body) ? JSON.stringify(body, digitsOf) : JSON.stringify(body);
}

function digitsOf(_name: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const digits = String(value);
  // Where a runtime cannot write digits as they are, a text is the same to conditions.
  return (JSON as RawJson).rawJSON?.(digits) ?? digits;
}

/**
 * Looks at each number of a value; true if one is a bigint.
 * @throws TypeError as {@link bodyText} does
 */
export function refuseUnsafe(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value === "number") {
    if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return false;
    throw new TypeError(`${value} may not be the number that is meant: give a bigint or a text`);
  }
  if (typeof value !== "object" || value === null) return false;
  let found = false;
  if (Array.isArray(value)) {
    for (const element of value) if (refuseUnsafe(element)) found = true;
    return found;
  }
  for (const name in value) if (refuseUnsafe((value as Record<string, unknown>)[name])) found = true;
  return found;
}
