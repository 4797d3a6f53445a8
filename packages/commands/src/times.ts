/** Times on command lines, of both programs: RFC 3339, a date, or an age. */

import { parseDate } from "@svc-authorizer/policy/model/condition-values.ts";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
const AGE = /^(?<amount>\d{1,6})(?<unit>[smhd])$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** Without an offset a time would mean something else on each machine. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** The forms that {@link parseTime} reads, for messages. */
export const TIME_FORMS = "a time such as 2026-11-22T08:00:00Z, a date, or an age such as 2h";

/**
 * Returns the time of a text: RFC 3339 with an offset, a date (its beginning in UTC), or an age such as `15m`, `2h` or
 * `30d`; undefined for any other text.
 * @param now Unix milliseconds that ages are counted from
 */
export function parseTime(text: string, now: number): Date | undefined {
  const { amount, unit = "" } = AGE.exec(text)?.groups ?? {};
  const unitMs = UNITS.get(unit);
  if (unitMs !== undefined) return new Date(now - Number(amount) * unitMs);
  // `Date.parse` would take the 30th of February for a day in March.
  const time = DATE.test(text) || TIME.test(text) ? parseDate(text.toUpperCase()) : undefined;
  return time === undefined ? undefined : new Date(time);
}
