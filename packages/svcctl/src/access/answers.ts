/** The common part of the commands of `svcctl access`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandCall } from "../command.ts";

/** Milliseconds for an answer: the server may take a minute, and another question may be before it. */
export const ANSWER_MS = 160_000;

/** The part of an answer that says how far it can be trusted. */
interface Limits {
  readonly warnings?: unknown;
  readonly truncated?: unknown;
}

/** Prints the warnings of an answer to standard error. */
export function printWarnings({ context }: CommandCall, answer: Limits): void {
  const warnings = Array.isArray(answer.warnings) ? answer.warnings : [];
  for (const warning of warnings) context.err(`warning: ${safeText(String(warning))}\n`);
  if (answer.truncated === true) context.err("warning: there is more than is shown\n");
}
