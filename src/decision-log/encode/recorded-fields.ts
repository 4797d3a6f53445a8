/** The condition fields of a record whose resources have attributes (spec/decision-log §1.1). */

import type { ConditionFields, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Decided } from "../../decisions/decision-log.ts";

/**
 * The fields by which a decision was made. Of a tree, those of its resources that are the same for each of them: a
 * record has one set of fields.
 */
export function recordedFields({
  context,
  contextOf,
  required,
}: Pick<Decided, "context" | "contextOf" | "required">): ConditionFields {
  if (contextOf === undefined || required === null) return context;
  const [first, ...others] = [...new Set(resourcesOf(required))].map(contextOf);
  if (first === undefined || others.length === 0) return first ?? context;
  const get = (name: string) => {
    const value = first.get(name);
    return others.every((one) => isEqual(one.get(name), value)) ? value : undefined;
  };
  return { get, has: (name) => get(name) !== undefined };
}

function resourcesOf(required: RequiredPermissions): readonly string[] {
  if ("action" in required) return [required.resource];
  if ("any_resource" in required) return [];
  return ("and" in required ? required.and : required.or).flatMap(resourcesOf);
}

function isEqual(one: unknown, other: unknown): boolean {
  return one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));
}
