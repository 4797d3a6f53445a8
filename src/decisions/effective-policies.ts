/**
 * The effective policies of a user as a data server gets them (spec/decision-api §4; spec/security §3.1, spec/security §3.3).
 */

import { isWildcardName, USER_PLACEHOLDER } from "@svc-authorizer/policy/engine/patterns/resource-pattern.ts";
import type { HeldPolicies } from "@svc-authorizer/policy/model/held-policies.ts";
import type { EffectivePolicy, Policy, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { unknownMember } from "@svc-authorizer/policy/model/policy-members.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { Principal } from "../directory/principal.ts";
import type { DecisionCounters } from "./decisions.ts";
import {
  guardOf,
  knownStatements,
  type PortableStatements,
  portableStatements,
  type Rewriting,
} from "./portable-policies.ts";

/** The form in which they are served (`authorizer.effective_policies`). */
export type EffectivePoliciesForm = "portable" | "exact";

/** A policy that is served in another form than it is stored in. */
export interface RewrittenPolicy {
  readonly policy: string;
  readonly rewritten: readonly Rewriting[];
}

/** Number of policies that are reported only once. Beyond it, the oldest may be reported again. */
const MAX_REPORTED = 10_000;

/** Builds the forms, each once while its policies are unchanged. */
export class EffectivePolicies {
  readonly #form: EffectivePoliciesForm;
  readonly #counters: DecisionCounters;
  readonly #onRewritten: (policy: RewrittenPolicy) => void;
  readonly #served = new WeakMap<Principal, readonly Policy[]>();
  readonly #portable = new WeakMap<readonly Statement[], PortableStatements>();
  readonly #reported = new Set<string>();

  /** @param onRewritten called once for each version of a rewritten policy */
  constructor(
    form: EffectivePoliciesForm,
    counters: DecisionCounters,
    onRewritten: (policy: RewrittenPolicy) => void,
  ) {
    this.#form = form;
    this.#counters = counters;
    this.#onRewritten = onRewritten;
  }

  /**
   * The policies of a user, distinct by name, sorted; the same list for the same principal.
   * @param rule policies that the service adds, always the same for the same principal
   */
  of(principal: Principal, rule?: HeldPolicies): readonly Policy[] {
    let served = this.#served.get(principal);
    if (served === undefined) {
      served = this.#make(principal);
      if (rule !== undefined) served = withAdded(served, rule.policies);
      this.#served.set(principal, served);
    }
    return served;
  }

  #make({ username, policies }: Principal): readonly Policy[] {
    const wildcard = isWildcardName(username);
    const served = policies.flatMap((policy): readonly Policy[] => {
      const own = wildcard ? withoutUserAllows(policy.statement) : policy.statement;
      const statement = this.#form === "exact" ? knownStatements(own) : this.#portableOf(policy, own);
      if (statement === policy.statement) return [policy];
      return statement.length === 0 ? [] : [{ ...policy, statement }];
    });
    const isUnchanged =
      served.length === policies.length && served.every((policy, index) => policy === policies[index]);
    return isUnchanged ? policies : served;
  }

  #portableOf(policy: EffectivePolicy, statements: readonly Statement[]): readonly Statement[] {
    let form = this.#portable.get(statements);
    if (form === undefined) {
      form = portableStatements(statements);
      this.#portable.set(statements, form);
    }
    const { rewritten } = form;
    if (rewritten.length > 0) {
      this.#counters.portableRewritings += rewritten.length;
      this.#report(policy, rewritten);
    }
    return form.statements;
  }

  #report({ id, version, name }: EffectivePolicy, rewritten: readonly Rewriting[]): void {
    const key = `${id} ${version}`;
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= MAX_REPORTED) {
      for (const oldest of this.#reported) {
        this.#reported.delete(oldest);
        break;
      }
    }
    this.#reported.add(key);
    this.#onRewritten({ policy: name, rewritten });
  }
}

/** Adds policies; one of the same name, of before it was reserved, keeps its statements beside theirs. */
function withAdded(policies: readonly Policy[], added: readonly Policy[]): readonly Policy[] {
  const byName = new Map(policies.map((policy) => [policy.name, policy]));
  for (const policy of added) {
    const own = byName.get(policy.name)?.statement ?? [];
    byName.set(policy.name, { ...policy, statement: [...policy.statement, ...own] });
  }
  return [...byName.values()].sort((a, b) => compareUtf8(a.name, b.name));
}

/** Leaves out allows whose resource names the user, because a wildcard in the user's name would widen them. */
function withoutUserAllows(statements: readonly Statement[]): readonly Statement[] {
  const widened = (statement: Statement): boolean => {
    const { effect, resource } = statement;
    if (effect === "deny" || !resource.includes(USER_PLACEHOLDER)) return false;
    // One with a member that is not known denies everything.
    return parseResourceText(resource) !== undefined && unknownMember(statement) === undefined;
  };
  if (!statements.some(widened)) return statements;
  return statements.flatMap((statement) => {
    if (!widened(statement)) return [statement];
    const guard = guardOf(statement);
    return guard === undefined ? [] : [guard];
  });
}
