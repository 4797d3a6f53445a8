/** Truth values as texts, in conditions and in what others sign (IAM, "Boolean condition operators"). */

const TRUE = /^true$/i;
const FALSE = /^false$/i;

/** Parses `true` or `false`, in any letter case, as IAM does. */
export function parseBoolean(text: string): boolean | undefined {
  if (TRUE.test(text)) return true;
  return FALSE.test(text) ? false : undefined;
}

/** True if one of the values of `Null` asks that a field be missing. */
export function asksMissing(values: readonly string[]): boolean {
  return values.some((value) => parseBoolean(value) === true);
}
