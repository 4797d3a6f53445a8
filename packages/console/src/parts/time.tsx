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
  return (
    <time dateTime={date.toISOString()} title={EXACT.format(date)}>
      {relative((date.getTime() - Date.now()) / 1000)}
    </time>
  );
}

/** Shows when something was last used; nothing at all means never. */
export function LastUsed({ at }: { readonly at: number | undefined }) {
  return at === undefined ? <span class="quiet-text">never</span> : <Time at={at} />;
}

function relative(seconds: number): string {
  const found = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (found === undefined) return "just now";
  return RELATIVE.format(Math.trunc(seconds / found[1]), found[0]);
}
