/** Filters of LDAP (RFC 4515) with values that people type. */

/** A filter with values in place of `{name}`, each so escaped that it is a value and nothing else. */
export function filled(filter: string, values: Readonly<Record<string, string>>): string {
  return filter.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? escaped(values[name] as string) : whole,
  );
}

/**
 * The value as an assertion value: of ASCII, all but letters and digits as `\\` and two digits. Other letters need no care, and
 * `ldapts` would read the bytes of one as several.
 */
function escaped(value: string): string {
  return value.replaceAll(
    /[^A-Za-z0-9\u0080-\u{10ffff}]/gu,
    (character) => `\\${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
