/** The query of a signed request: its parameters in canonical form (spec/security §2.7, spec/security §2.8). */

import { rememberLast } from "../../remember-last.ts";
import { canonicalQueryPart } from "./uri-encoding.ts";

/** Parameters of a presigned request, in the only accepted spelling. */
export const PRESIGN_PARAMETERS = [
  "X-Amz-Algorithm",
  "X-Amz-Credential",
  "X-Amz-Date",
  "X-Amz-Expires",
  "X-Amz-SignedHeaders",
  "X-Amz-Signature",
] as const;

const NONE: ReadonlyMap<string, string> = new Map();

/** A query that names an operation of a program is not longer; a presigned one, which never comes again, always is. */
const LONGEST_REMEMBERED = 64;

/** Names and values in canonical form. Undefined for an ambiguous query: a repeated name, a `;`, a broken escape. */
export function queryParameters(raw: string): ReadonlyMap<string, string> | undefined {
  return raw.length <= LONGEST_REMEMBERED ? shortParameters(raw) : readParameters(raw);
}

const shortParameters = rememberLast(readParameters);

function readParameters(raw: string): ReadonlyMap<string, string> | undefined {
  if (raw === "") return NONE;
  if (raw.includes(";")) return undefined;
  const parameters = new Map<string, string>();
  for (const pair of raw.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = canonicalQueryPart(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : canonicalQueryPart(pair.slice(equals + 1));
    if (name === undefined || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return parameters;
}

/** The canonical query: sorted by name, without the signature itself. */
export function canonicalQuery(parameters: ReadonlyMap<string, string>): string {
  if (parameters.size === 0) return "";
  // Most requests have a single parameter, the operation.
  if (parameters.size === 1 && !parameters.has("X-Amz-Signature")) {
    for (const [name, value] of parameters) return `${name}=${value}`;
  }
  return [...parameters]
    .filter(([name]) => name !== "X-Amz-Signature")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** The decoded value of a parameter; "" if it is absent or not UTF-8. */
export function parameter(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name) ?? "";
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}
