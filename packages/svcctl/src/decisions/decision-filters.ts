/** The options that select records. */

import { type OptionValues, textOption } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { parseTime, TIME_FORMS } from "@svc-authorizer/commands/times.ts";
import type { AskedQuestion } from "@svc-authorizer/policy/model/question-judge.ts";

/** Returns the query parameters of the options. Throws UsageFailure for a time that is none. */
export function decisionFilters(options: OptionValues): Readonly<Record<string, string | undefined>> {
  const now = Date.now();
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

/** The action and the resource of the filters as a question, which may be mistyped; patterns are none. */
export function questionIn(options: OptionValues): AskedQuestion {
  const one = (name: string): string | undefined => {
    const text = textOption(options, name);
    return text === undefined || /[*?]/.test(text) ? undefined : text;
  };
  const [action, resource] = [one("action"), one("resource")];
  return { ...(action !== undefined && { action }), ...(resource !== undefined && { resource }) };
}

/** Returns RFC 3339 for a time or an age. Throws UsageFailure for a text that is neither. */
export function timeOf(text: string, option: string, now: number): string {
  const time = parseTime(text, now);
  if (time === undefined) throw new UsageFailure(`--${option} ${text}: expected ${TIME_FORMS}`);
  return time.toISOString();
}
