/** The options that select records. */

import { type OptionValues, textOption } from "../../command-spec.ts";
import { UsageFailure } from "../../failure.ts";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Returns the query parameters of the options. Throws UsageFailure for a time that is none. */
export function decisionFilters(
  options: OptionValues,
  now = Date.now(),
): Readonly<Record<string, string | undefined>> {
  const time = (name: string): string | undefined => {
    const text = textOption(options, name);
    return text === undefined ? undefined : timeOf(text, name, now);
  };
  return {
    subject: textOption(options, "subject"),
    action: textOption(options, "action"),
    resource: textOption(options, "resource"),
    decision: textOption(options, "decision"),
    policy: textOption(options, "policy"),
    since: time("since"),
    until: time("until"),
  };
}

/** Returns RFC 3339 for a time or an age. Throws UsageFailure for a text that is neither. */
export function timeOf(text: string, option: string, now: number): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit !== undefined) return new Date(now - Number(amount) * (UNITS.get(unit) as number)).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new UsageFailure(
      `--${option} ${text}: expected a time such as 2026-11-22T08:00:00Z, or an age such as 2h`,
    );
  }
  return new Date(time).toISOString();
}
