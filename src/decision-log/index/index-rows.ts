/** The rows of records in the index (spec/decision-log §3.3). */

import type { Effect, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";

/** Subject, action, ARN, effect and policy of a decision; of an audit record actor, operation, target and event. */
type Sought = readonly [string | null, string | null, string | null, string, string | null];

/** A row: what is looked for, and the number of the decision in its record. */
export type DecisionRow = readonly [...Sought, number];

/** Action and ARN of a permission; null for any resource. */
type Permission = readonly [action: string | null, arn: string | null];

/** Most rows of a tree: a caller chooses its size. */
const MOST_ROWS_OF_TREE = 1_000;

/** The rows of a record: one for each decision, each permission of a tree, and each statement that decided. */
export function decisionRows(record: LoggedDecision): readonly DecisionRow[] {
  const { subject, action = null, resource, effect, determining, required } = record;
  const items = record.items ?? [];
  if (items.length > 0) {
    return items.flatMap((item, number) => {
      const own = [item.subject?.id ?? subject.id, item.action ?? action, item.resource.arn] as const;
      return policiesOf(item.determining).map(
        (policy) => [...own, item.effect ?? "allow", policy, number] as const,
      );
    });
  }
  const isTree = required !== undefined && required !== null && action === null;
  const permissions = isTree ? permissionsOf(required) : [[action, resource?.arn ?? null] as const];
  const policies = isTree ? policiesOfTree(effect, determining) : policiesOf(determining);
  return permissions
    .slice(0, Math.max(1, Math.floor(MOST_ROWS_OF_TREE / policies.length)))
    .flatMap((permission) =>
      policies.map((policy) => [subject.id, ...permission, effect, policy, 0] as const),
    );
}

function policiesOf(determining: LoggedDecision["determining"]): readonly (string | null)[] {
  return determining.length === 0 ? [null] : [...new Set(determining.map(({ policy }) => policy))];
}

/**
 * The policies that decided about a tree. A record also names the statements that allowed some of its permissions: they did
 * not refuse it. A deny ends the evaluation, so that its statement is the last one.
 */
function policiesOfTree(
  effect: Effect,
  determining: LoggedDecision["determining"],
): readonly (string | null)[] {
  if (effect === "allow") return policiesOf(determining);
  return effect === "neutral" ? [null] : policiesOf(determining.slice(-1));
}

function permissionsOf(required: RequiredPermissions): readonly Permission[] {
  const found = new Map<string, Permission>();
  const visit = (node: RequiredPermissions): void => {
    if ("and" in node) node.and.forEach(visit);
    else if ("or" in node) node.or.forEach(visit);
    else {
      const permission: Permission =
        "action" in node ? [node.action, node.resource] : [node.any_resource.action, null];
      found.set(JSON.stringify(permission), permission);
    }
  };
  visit(required);
  return found.size === 0 ? [[null, null]] : [...found.values()];
}
