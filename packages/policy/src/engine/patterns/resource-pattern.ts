/** Resource patterns of statements: parsing for the index, and matching (spec/evaluation §3, spec/evaluation §5). */

import { type Arn, parseArn } from "../../model/arn.ts";
import { compileWildcard, hasWildcard } from "./wildcard.ts";

/** The placeholder that the user's name replaces. */
export const USER_PLACEHOLDER = "${user}";

/**
 * Kinds of resource pattern: `any` is `*`; `exact` and `prefix` (one `*`, at the end) can be looked up; `pattern`
 * has other wildcards or the user's name in its last field; `bound` has the user's name before its last field, so
 * it can only be parsed once the name is known; `never` is not an ARN and matches nothing.
 */
export type ResourcePattern =
  | { readonly kind: "any" }
  | { readonly kind: "never" }
  | { readonly kind: "exact" | "prefix" | "pattern"; readonly arn: Arn; readonly literal: string }
  | { readonly kind: "bound"; readonly template: string };

/** Index of the first wildcard or placeholder, or the length. */
function literalLength(text: string): number {
  const star = text.indexOf("*");
  const mark = text.indexOf("?");
  const placeholder = text.indexOf(USER_PLACEHOLDER);
  let length = text.length;
  if (star >= 0) length = star;
  if (mark >= 0 && mark < length) length = mark;
  if (placeholder >= 0 && placeholder < length) length = placeholder;
  return length;
}

/** Parses a resource of a statement. `literal` is the text of the last field before its first wildcard. */
export function classifyResource(resource: string, partition: string): ResourcePattern {
  if (resource === "*") return { kind: "any" };
  const arn = parseArn(resource, partition);
  const lastField = arn === undefined ? 0 : resource.length - arn.resource.length;
  const placeholder = resource.indexOf(USER_PLACEHOLDER);
  if (placeholder >= 0 && (arn === undefined || placeholder < lastField))
    return { kind: "bound", template: resource };
  if (arn === undefined) return { kind: "never" };
  const literal = arn.resource.slice(0, literalLength(arn.resource));
  const rest = arn.resource.slice(literal.length);
  const kind = rest === "" ? "exact" : rest === "*" ? "prefix" : "pattern";
  return { kind, arn, literal };
}

/** Puts the user's name, verbatim, into a resource. */
export function bindUser(resource: string, user: string): string {
  return resource.replaceAll(USER_PLACEHOLDER, () => user);
}

/** Matches one resource of a statement against a required resource, as spec/evaluation §3 says. */
export function matchesResource(
  resource: string,
  required: string,
  user: string,
  partition: string,
): boolean {
  const pattern = bindUser(resource, user);
  if (pattern === "*") return true;
  const left = parseArn(pattern, partition);
  const right = parseArn(required, partition);
  if (left === undefined || right === undefined) return false;
  if (left.service !== right.service || left.account !== right.account) return false;
  return compileWildcard(left.resource).match(right.resource);
}

/** True when the name would act as a wildcard through `${user}` (spec/security §3.1). */
export function isWildcardName(user: string): boolean {
  return hasWildcard(user);
}
