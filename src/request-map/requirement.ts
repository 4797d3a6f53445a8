/** The permissions of an operation, for servers that know the operation and its values. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { CompiledRow } from "./compiled-row.ts";
import { type Lookup, shownTemplate, type TreeTemplate } from "./fill-template.ts";

function fill(tree: TreeTemplate, valueFor: Lookup, operation: string): RequiredPermissions {
  if ("action" in tree) return { action: tree.action, resource: shownTemplate(tree.resource, valueFor) };
  if ("any_resource" in tree) return tree;
  if ("and" in tree) return { and: tree.and.map((child) => fill(child, valueFor, operation)) };
  throw new AuthorizerError("internal", `what ${operation} needs depends on its request`);
}

/**
 * The permissions of an operation, or null if it needs none. Values are inserted raw.
 * @throws AuthorizerError("internal") for an unknown operation, a missing value, and an operation that checks the items
 * of its body
 */
export function requirementOf(
  compiled: CompiledRow | undefined,
  operation: string,
  values: ReadonlyMap<string, string>,
): RequiredPermissions | null {
  if (compiled === undefined) throw new AuthorizerError("internal", `there is no operation "${operation}"`);
  if (compiled.items !== undefined) {
    throw new AuthorizerError("internal", `${operation} needs a permission for each item of its body`);
  }
  const valueFor = (name: string): string => {
    const value = values.get(name);
    if (value === undefined)
      throw new AuthorizerError("internal", `${operation} needs a value for {${name}}`);
    return value;
  };
  return compiled.required === undefined ? null : fill(compiled.required, valueFor, operation);
}
