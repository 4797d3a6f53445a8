/** The values of cookies. */

/** Every value that a Cookie header has for a name, as it stands there: browsers send one for each path and domain. */
export function cookieValues(header: string, name: string): readonly string[] {
  return header.split(";").flatMap((pair) => {
    const mark = pair.indexOf("=");
    return mark >= 0 && pair.slice(0, mark).trim() === name ? [pair.slice(mark + 1).trimEnd()] : [];
  });
}
