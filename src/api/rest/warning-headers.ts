/** `Warning` headers (RFC 7234, section 5.5): code 299, this service as the agent, a quoted ASCII text. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";

const MAX_WARNINGS = 8;
const MAX_TEXT = 300;

/** A text inside quotes; what is not printable ASCII becomes `?`. */
function quoted(text: string): string {
  const ascii = text.replaceAll(/[^\x20-\x7e]/gu, "?");
  const cut = ascii.length > MAX_TEXT ? `${ascii.slice(0, MAX_TEXT)}...` : ascii;
  return `"${cut.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Headers, name and value in turn: one for each warning, and one that counts those that are left out. */
export function warningHeaders(warnings: readonly Problem[]): readonly string[] {
  const texts = warnings.slice(0, MAX_WARNINGS).map(({ pointer, message }) => `${pointer}: ${message}`);
  if (warnings.length > MAX_WARNINGS)
    texts.push(`${warnings.length - MAX_WARNINGS} more warnings, see the log`);
  return texts.flatMap((text) => ["Warning", `299 svc-authorizer ${quoted(text)}`]);
}
