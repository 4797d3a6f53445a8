/** Whether policies let somebody do everything with repositories, whatever the request. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";

const SERVICE = "fs:";
const ALL_ACTIONS = /^(?:fs:)?\*+$/;
const ALL_RESOURCES = /^\*+$/;

/** Results by policies: a set of compiled policies never changes. */
const KNOWN = new WeakMap<CompiledPolicies, boolean>();

/**
 * True if one unconditional allow gives `fs:*` on `*` and no deny has an action of `fs`, on whatever resource and under
 * whatever condition. A statement that this version cannot read makes it false.
 */
export function mayEverything(policies: CompiledPolicies): boolean {
  let known = KNOWN.get(policies);
  if (known === undefined) {
    const { statements } = policies;
    known = !policies.canFail && statements.some(allowsAll) && !statements.some(mayDeny);
    KNOWN.set(policies, known);
  }
  return known;
}

function allowsAll({ policy, index, deny, condition, resources, actions }: CompiledStatement): boolean {
  return (
    !deny &&
    policy.statement[index]?.effect === "allow" &&
    condition === undefined &&
    actions.patterns.some((pattern) => ALL_ACTIONS.test(pattern)) &&
    (resources ?? []).some((resource) => ALL_RESOURCES.test(resource))
  );
}

function mayDeny({ deny, resources, unknownMember, actions }: CompiledStatement): boolean {
  if (resources === undefined || unknownMember !== undefined) return true;
  return deny && actions.patterns.some(mayMatchService);
}

/** True if a pattern matches some action that begins with `fs:`. */
function mayMatchService(pattern: string): boolean {
  for (const [at, character] of [...SERVICE].entries()) {
    const own = pattern[at];
    if (own === "*") return true;
    if (own !== character && own !== "?") return false;
  }
  return true;
}
