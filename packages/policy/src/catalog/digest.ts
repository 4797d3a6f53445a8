/** Digests of policy data. They cover the content: line ends and indentation do not count. */

import { createHash } from "node:crypto";

/** JSON with members in the order of their names (UTF-16 units) and no white space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}

/** SHA-256 of a JSON document in canonical form, 64 hexadecimal digits. */
export function digestOf(document: unknown): string {
  return createHash("sha256").update(canonicalJson(document)).digest("hex");
}
