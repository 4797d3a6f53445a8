/** Durations in Go's notation (spec/configuration §2.5): `5m`, `1h30m`, `1.5h`, `100ms`, `0`. */

/** Nanoseconds of a unit. Both signs for micro are in use. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const SYNTAX = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/u;
const PART = /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/gu;

/** Longer texts are not parsed as durations. */
const LONGEST_TEXT = 100;

/** Largest duration of the data server: 64 bits of nanoseconds, about 292 years. */
const LONGEST_NANOSECONDS = 2n ** 63n - 1n;

/**
 * The milliseconds of a duration text, with a fraction where it is finer than that.
 * Undefined when the text is none, or is too long for the data server to hold.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (text.length > LONGEST_TEXT || !SYNTAX.test(text)) return undefined;
  let nanoseconds = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(PART)) {
    const size = UNITS.get(unit) as bigint;
    nanoseconds += (BigInt(whole + fraction) * size) / 10n ** BigInt(fraction.length);
  }
  if (nanoseconds > LONGEST_NANOSECONDS) return undefined;
  const milliseconds =
    Number(nanoseconds / NANOSECONDS_PER_MILLISECOND) +
    Number(nanoseconds % NANOSECONDS_PER_MILLISECOND) / 1e6;
  return text.startsWith("-") && milliseconds !== 0 ? -milliseconds : milliseconds;
}

/** The text of a duration given in milliseconds, in units that leave no fraction: `1m30s`. */
export function formatDuration(milliseconds: number): string {
  const whole = Math.floor(Math.abs(milliseconds));
  const fraction = Math.round((Math.abs(milliseconds) - whole) * 1e6);
  let rest = BigInt(whole) * NANOSECONDS_PER_MILLISECOND + BigInt(fraction);
  if (rest === 0n) return "0s";
  let text = milliseconds < 0 ? "-" : "";
  for (const unit of ["h", "m", "s", "ms", "us", "ns"]) {
    const size = UNITS.get(unit) as bigint;
    if (rest >= size) text += `${rest / size}${unit}`;
    rest %= size;
  }
  return text;
}
