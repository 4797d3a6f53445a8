/**
 * Counts the members of a JSON text and of its value. A member that is there twice is once in the value, so that they differ:
 * to know that costs a hundredth of a small request, to find the member far more.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

const VALUES_PER_STEP = 20_000;

/**
 * The number of members of all objects of a text.
 * @param text valid JSON
 */
export function membersOfText(text: string): number {
  let members = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at++;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    else if (unit === COLON) members++;
  }
  return members;
}

/**
 * The number of members of all objects in a value.
 * @param value parsed from JSON, of bounded depth
 */
export function membersOfValue(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === "object") members += membersOfValue(element);
    return members;
  }
  // Parsed JSON inherits no enumerable member.
  for (const name in value) {
    members++;
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === "object") members += membersOfValue(member);
  }
  return members;
}

/** As {@link membersOfValue}, to be run in steps: for large values. */
export function* membersOfValueInSteps(value: unknown): Generator<undefined, number> {
  const left: unknown[] = [value];
  let [members, looked] = [0, 0];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one !== "object" || one === null) continue;
    const isList = Array.isArray(one);
    for (const name in one) {
      if (!isList) members++;
      const member = (one as Record<string, unknown>)[name];
      if (typeof member === "object" && member !== null) left.push(member);
      if (++looked % VALUES_PER_STEP === 0) yield;
    }
  }
  return members;
}
