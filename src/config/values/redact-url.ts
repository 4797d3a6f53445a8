/** URLs as they may be shown. */

/** The text in place of a secret. */
export const REDACTED = "<redacted>";

/** Removes user and password from a URL. */
export function redactUrl(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`);
}
