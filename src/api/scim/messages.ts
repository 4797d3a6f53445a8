/** Names in the bodies of calls: those of members and of schemas are read in any letter case (RFC 7643, section 2.1). */

import { ScimError } from "./scim-error.ts";

/**
 * The members of an object under their names in lower case.
 * @throws ScimError "invalidSyntax" for a member that is there twice, in whatever letter case
 */
export function messageMembers(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(body)) {
    const folded = name.toLowerCase();
    if (members.has(folded)) throw new ScimError("invalidSyntax", `${name.slice(0, 100)} is there twice`);
    members.set(folded, value);
  }
  return Object.fromEntries(members);
}

/** True if a list of schemas, as given, names one. */
export function namesSchema(schemas: unknown, id: string): boolean {
  const wanted = id.toLowerCase();
  return (
    Array.isArray(schemas) && schemas.some((one) => typeof one === "string" && one.toLowerCase() === wanted)
  );
}
