/**
 * The parameters of a raw query. Where Go's `url.ParseQuery` drops nothing, the result is the same (spec/security §2.7).
 */

import { decodeForm, isVisibleAscii } from "./percent.ts";
import { Unreadable } from "./unreadable.ts";

/** Go refuses more than 10,000; no endpoint has more than a dozen. */
const MAX_PARAMETERS = 1000;

/** Parameters of a query. */
export interface QueryParameters {
  /** The value of each name; the first value if a name is repeated. */
  readonly values: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

const NONE: QueryParameters = { values: new Map(), repeated: new Set() };

/**
 * Refuses pairs that Go would drop (with a `;` or a bad escape), and characters that cannot stand in a request line.
 */
export function readQuery(query: string): QueryParameters | Unreadable {
  if (query === "") return NONE;
  if (!isVisibleAscii(query) || query.includes("#")) {
    return new Unreadable("the query has a character that must be percent-encoded");
  }
  if (query.includes(";")) return new Unreadable("the query has a ;");
  const pairs = query.split("&", MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) return new Unreadable("the query has too many parameters");
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals), "the query");
    const value = decodeForm(equals < 0 ? "" : pair.slice(equals + 1), "the query");
    if (name instanceof Unreadable) return name;
    if (value instanceof Unreadable) return value;
    if (values.has(name)) repeated.add(name);
    else values.set(name, value);
  }
  return { values, repeated };
}
