/** Options that hold a duration in Go's notation, such as `1h30m`. */

import { parseDuration } from "@svc-authorizer/commands/duration.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import type { CommandCall } from "./command.ts";

/**
 * The value in milliseconds.
 * @param name camel-case name of the option
 * @param flag its long name, without dashes
 * @throws UsageFailure when the text is no duration
 */
export function durationOf({ options }: CommandCall, name: string, flag: string): number {
  const text = String(options[name] ?? "");
  const value = parseDuration(text);
  if (value !== undefined) return value;
  throw new UsageFailure(
    `invalid argument ${JSON.stringify(text)} for "--${flag}" flag: time: invalid duration ${JSON.stringify(text)}`,
  );
}
