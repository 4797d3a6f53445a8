/** The options that show the next page of a list. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";

/** Signs that a shell does not take as they are between double quotes. */
const SIGNS = /[\\"$`]/g;

/**
 * The options with which a command shows what follows, for people who put them on a command line. The name is somebody
 * else's text: a shell must not run what is in it.
 * @param next the last name that was shown
 */
export function nextPageOptions(amount: number | string, next: string): string {
  return `--amount ${amount} --after "${safeText(next.replace(SIGNS, "\\$&"))}"`;
}
