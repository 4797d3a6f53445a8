/** Trees of required permissions, read as the service's entrances read them. */

import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";

const FORMS =
  "required: expected exactly one of {action, resource}, {and}, {or} and {any_resource: {action}}, without further members";

/** As many as the service takes (`authorizer.limits.tree_nodes`). */
const MOST_NODES = 1_000;

/**
 * The tree with every empty `and` as an empty `or`: an empty requirement is neutral, whereas the engine's empty `and`
 * allows (spec/security §2.4).
 * @throws TypeError for a value that is no tree; RangeError for one of more than 1,000 nodes
 */
export function asRequired(required: unknown): RequiredPermissions {
  return isLeaf(required) ? required : readNode(required, { left: MOST_NODES });
}

function readNode(node: unknown, count: { left: number }): RequiredPermissions {
  if (--count.left < 0) throw new RangeError(`required has more than ${MOST_NODES} nodes`);
  if (isLeaf(node)) return node;
  const { and, or, any_resource, ...others } = (node ?? {}) as Record<string, unknown>;
  const given =
    [and, or, any_resource].filter((form) => form !== undefined).length + Object.keys(others).length;
  if (given !== 1) throw new TypeError(FORMS);
  if (Array.isArray(and)) {
    const children = and.map((child) => readNode(child, count));
    return children.length === 0 ? { or: [] } : { and: children };
  }
  if (Array.isArray(or)) return { or: or.map((child) => readNode(child, count)) };
  const gate = any_resource as { readonly action?: unknown } | undefined;
  if (typeof gate?.action === "string" && Object.keys(gate).length === 1)
    return { any_resource: { action: gate.action } };
  throw new TypeError(FORMS);
}

/** A leaf has nothing else: another member may have been meant to ask for more. */
function isLeaf(node: unknown): node is { readonly action: string; readonly resource: string } {
  const { action, resource } = (node ?? {}) as Record<string, unknown>;
  if (typeof action !== "string" || typeof resource !== "string") return false;
  for (const name in node as object) if (name !== "action" && name !== "resource") return false;
  return true;
}
