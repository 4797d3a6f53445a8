/** Times on command lines. */

import { parseTime } from "@svc-authorizer/commands/times.ts";
import { expect, it } from "vitest";

const NOW = Date.parse("2026-03-04T05:06:07.890Z");

it.each([
  ["2026-02-28", "2026-02-28T00:00:00.000Z"],
  ["2028-02-29T12:00Z", "2028-02-29T12:00:00.000Z"],
  ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01t00:00:00.123456789123z", "2026-01-01T00:00:00.123Z"],
  ["1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000Z"],
  ["2039-01-01", "2039-01-01T00:00:00.000Z"],
  ["2h", "2026-03-04T03:06:07.890Z"],
  // The calendar has none of these; the next day is another one.
  ["2026-02-29", undefined],
  ["2026-06-31T00:00:00Z", undefined],
  ["2026-01-01T24:00:00Z", undefined],
  ["2026-12-31T23:59:60Z", undefined],
  ["2026-01-01T00:00:00", undefined],
  ["2026", undefined],
  ["1771113600", undefined],
])("%s", (text, expected) => {
  expect(parseTime(text, NOW)?.toISOString()).toBe(expected);
});
