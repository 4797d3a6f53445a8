/** Points in time. */

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** Shows a time relative to now, and exactly where one points at it. `at` is in unix seconds or RFC 3339. */
export function Time({ at }: { readonly at: number | string | undefined }) {
  if (at === undefined) return <span class="quiet-text">unknown</span>;
  const date = new Date(typeof at === "number" ? at * 1000 : at);
  // Who wrote it may have meant other units; the page has to show what else there is.
  if (Number.isNaN(date.getTime())) return <span class="quiet-text">no date: {at}</span>;
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {relative((date.getTime() - Date.now()) / 1000)}
    </time>
  );
}

interface LastUsedProps {
  readonly at: number | undefined;
  /** The time since when uses are counted; absent where another place says it. */
  readonly since?: number | undefined;
  readonly created?: number | undefined;
}

/** Shows when something was last used; without a use it is never, or not since uses are counted. All in Unix seconds. */
export function LastUsed({ at, since = 0, created = 0 }: LastUsedProps) {
  if (at !== undefined) return <Time at={at} />;
  if (since <= created) return <span class="quiet-text">never</span>;
  return (
    <span class="quiet-text">
      not since <Time at={since} />
    </span>
  );
}

function relative(seconds: number): string {
  const found = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined) return "just now";
  return RELATIVE.format(Math.trunc(seconds / found[1]), found[0]);
}
