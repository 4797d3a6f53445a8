/** Order of the versions of policy sets. */

/** Numbers with dots between them, such as `2026.11.3`. */
const NUMBERS = /^\d{1,9}(?:\.\d{1,9}){0,7}$/;

/**
 * True if one version comes before the other, number by number; a number that is missing counts as 0. Versions in another
 * form have no order.
 */
export function isEarlierVersion(one: string, other: string): boolean {
  if (!NUMBERS.test(one) || !NUMBERS.test(other)) return false;
  const [left, right] = [one.split(".").map(Number), other.split(".").map(Number)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
