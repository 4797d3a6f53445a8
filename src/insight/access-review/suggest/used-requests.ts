/** Requests that were allowed, each once, as a suggestion has to allow them. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type {
  ConditionFields,
  FieldValue,
  RequiredPermissions,
} from "@svc-authorizer/policy/model/decision.ts";

/** A request that was made. */
export interface UsedRequest {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context: ConditionFields;
}

/** A permission that a request needs: on one resource, or on any. */
export interface NeededPermission {
  readonly user: string;
  readonly action: string;
  /** undefined: on any resource. */
  readonly resource: string | undefined;
  readonly context: ConditionFields;
}

/** Collects requests. Fields that no condition reads make no difference between two of them. */
export class UsedRequests {
  readonly #reads: readonly string[];
  readonly #found = new Map<string, UsedRequest>();

  /** @param policies whose conditions tell which fields matter */
  constructor(policies: CompiledPolicies) {
    const read = policies.statements.flatMap(({ condition }) => [...(condition?.reads ?? [])]);
    this.#reads = [...new Set(read)].sort();
  }

  /** Number of different requests. */
  get size(): number {
    return this.#found.size;
  }

  add({ user, required, context }: UsedRequest): void {
    const fields = this.#reads.flatMap((name): (readonly [string, FieldValue])[] => {
      const value = context.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    const shown = fields.map(([name, value]) => [name, typeof value === "symbol" ? null : value]);
    const key = JSON.stringify([user, required, shown]);
    if (!this.#found.has(key)) this.#found.set(key, { user, required, context: new Map(fields) });
  }

  all(): readonly UsedRequest[] {
    return [...this.#found.values()];
  }
}

/** True if the policies allow a request. */
export function allows(policies: CompiledPolicies, { user, required, context }: UsedRequest): boolean {
  return decide(policies, { user, required, context }).effect === "allow";
}

/** Returns the permissions by which the policies allow a request that they do allow; of alternatives the first. */
export function neededBy(policies: CompiledPolicies, request: UsedRequest): readonly NeededPermission[] {
  const { user, required, context } = request;
  if ("action" in required) {
    return [{ user, action: required.action, resource: required.resource, context }];
  }
  if ("any_resource" in required) {
    return [{ user, action: required.any_resource.action, resource: undefined, context }];
  }
  if ("and" in required) {
    return required.and.flatMap((child) => neededBy(policies, { ...request, required: child }));
  }
  const child = (required.or ?? []).find((one) => allows(policies, { ...request, required: one }));
  return child === undefined ? [] : neededBy(policies, { ...request, required: child });
}
