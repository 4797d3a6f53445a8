/**
 * Numbers as texts (spec/security §3.2). A double has 53 bits, and an identifier of more digits would be taken for its neighbour:
 * such a number is all of its digits.
 */

/** Most digits of a number that a double does not hold exactly. */
const MOST_DIGITS = 40;

/** The words for a number of more digits. */
export const TOO_MANY_DIGITS = `a number has more than ${MOST_DIGITS} digits: write it as a text`;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Digits that every double has: a number of fewer is what its text says. */
const EXACT_DIGITS = 15;
const SHORT = /^-?\d{1,15}$/;
const ZERO = 0x30;

/** A decimal number: `digits` × 10 ^ `exponent`, without zeros at either end; zero has no digits. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(text: string): Decimal | undefined {
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  // Not by regular expressions: those take time that grows with the square of a run of zeros.
  while (start < end && all.charCodeAt(start) === ZERO) start++;
  while (end > start && all.charCodeAt(end - 1) === ZERO) end--;
  const digits = all.slice(start, end);
  return {
    negative: sign === "-" && digits !== "",
    digits,
    exponent: Number(power) - fraction.length + all.length - end,
  };
}

function isSame(a: Decimal, b: Decimal | undefined): boolean {
  if (a.digits === "") return b?.digits === "";
  return a.digits === b?.digits && a.exponent === b.exponent && a.negative === b.negative;
}

/** All digits, without an exponent; undefined for more than {@link MOST_DIGITS}. */
function allDigits({ negative, digits, exponent }: Decimal): string | undefined {
  const before = digits.length + exponent;
  const count = exponent >= 0 ? before : Math.max(digits.length, 1 - exponent);
  if (!(count <= MOST_DIGITS)) return undefined;
  const sign = negative ? "-" : "";
  if (exponent >= 0) return sign + digits + "0".repeat(exponent);
  if (before > 0) return `${sign}${digits.slice(0, before)}.${digits.slice(before)}`;
  return `${sign}0.${"0".repeat(-before)}${digits}`;
}

/**
 * The text of a number: that of the nearest double where it denotes exactly the same, else all digits without exponent.
 * Undefined for one of more than 40 digits, and for a text that is no decimal number. Takes linear time.
 */
export function canonicalDecimal(text: string): string | undefined {
  if (SHORT.test(text)) return String(Number(text) + 0);
  const decimal = decimalOf(text);
  if (decimal === undefined) return undefined;
  const nearest = JSON.stringify(Number(text));
  return isSame(decimal, decimalOf(nearest)) ? nearest : allDigits(decimal);
}

/** The double that a decimal number denotes exactly; undefined for a number that no double is, and for another text. */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  if (text.length <= EXACT_DIGITS) return NUMBER.test(text) && Number.isFinite(number) ? number : undefined;
  const decimal = decimalOf(text);
  if (decimal === undefined || !isSame(decimal, decimalOf(JSON.stringify(number)))) return undefined;
  return number;
}
