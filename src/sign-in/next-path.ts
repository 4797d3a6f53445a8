/** The path to which a sign-in leads. */

const LONGEST = 2_048;
const ANY_ORIGIN = "https://this-origin.invalid";

/** The path with query and fragment of an address that is a path of this origin; "/" for everything else. */
export function nextPath(given: string | undefined): string {
  if (given === undefined || given.length > LONGEST) return "/";
  // A second slash, or a backslash that browsers read as one, begins another host; they drop control characters.
  if (!/^\/(?![/\\])[!-~]*$/.test(given) || given.includes("\\")) return "/";
  const url = URL.parse(given, ANY_ORIGIN);
  if (url === null || url.origin !== ANY_ORIGIN) return "/";
  const path = url.pathname + url.search + url.hash;
  // Dots may have gone and left two slashes at the beginning.
  return path.startsWith("//") || url.pathname.startsWith("/oidc/") ? "/" : path;
}
