/** Texts of others in Markdown. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";

/** Signs of markup, of tables, and of what a forge makes links of: names of people and numbers of issues. */
const SIGNS = /[\\`|<>&*_[\]@#~!]/g;

/** Returns a text of which nothing is markup, in one line. */
export function markdownText(text: string): string {
  return safeText(text).replace(SIGNS, (sign) => `&#${sign.charCodeAt(0)};`);
}
