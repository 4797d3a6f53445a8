/** The rate of decisions in the status of a node. */

import { expect, it } from "vitest";
import { statusBody } from "../../../src/api/management/status/status-body.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.parse("2026-03-04T05:06:00Z");
const NOW = BEGIN + 30_000;

/** Decides 45 times in the minute that runs, and 9,000 times in one of another time. */
function rateOf(since: number, other: number): unknown {
  const minutes = [
    { at: BEGIN, allowed: 40, refused: 5 },
    { at: other, allowed: 9_000, refused: 0 },
  ];
  const status = { node: "n", version: "1", startedAt: 0, reasons: [], revision: 1, changes: [] };
  return statusBody({ ...status, activity: { since, minutes } } as never, NOW);
}

it.each([
  ["without what was an hour ago", NOW - 2 * HOUR, BEGIN - HOUR, 0.5],
  ["without what was before the clock was set back", NOW - 2 * HOUR, BEGIN + HOUR, 0.5],
  ["of a node that began before the clock was set back", NOW + HOUR, BEGIN + HOUR, 0.5],
  ["of a node that began a moment ago", NOW - 9_000, BEGIN - HOUR, 5],
])("is that of the last minutes, %s", (_, since, other, expected) => {
  expect(rateOf(since, other)).toMatchObject({ decisions: { per_second: expected } });
});
