/** Findings as text: `file:line:column`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";

/** Returns the known place of a problem: file, line, column. */
export function placeText({ file, line, column }: Problem): string {
  return safeText([file, line, column].filter((part) => part !== undefined).join(":"));
}

/** `1 error`, `2 errors`. */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
