/** Rights by resource type and verb, for users with the same groups and policies at once. */

import { UNDECIDED } from "@svc-authorizer/policy/analysis/compare/pattern-language.ts";
import { PointSearch, SearchMemory } from "@svc-authorizer/policy/analysis/compare/point-search.ts";
import { type Rule, rulesOf } from "@svc-authorizer/policy/analysis/compare/rules.ts";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { ReviewedAccess, ReviewedRight } from "@svc-authorizer/policy/records/review/review.ts";
import type { DirectoryImage, ImagedUser } from "../directory-image.ts";
import { HeldPolicies, type HeldPolicy } from "../held-policies.ts";
import { lastOf, type UseOf } from "../use-of.ts";

/** The surroundings of the rights. */
interface RightsOptions {
  readonly partition: string;
  readonly types: readonly ResourceType[];
  readonly use: UseOf;
  /** True when no more work may begin. */
  readonly isOver: () => boolean;
}

/** Users with the same groups and policies, most users first. */
interface AccessFound {
  readonly access: readonly ReviewedAccess[];
  /** Users whose rights were not looked at in time. */
  readonly left: number;
}

/** Returns the rights of all users. */
export function reviewedAccess(image: DirectoryImage, options: RightsOptions): AccessFound {
  const held = new HeldPolicies(image);
  const alike = [
    ...Map.groupBy(image.users, ({ groups, policies }) => JSON.stringify([groups, policies])).values(),
  ];
  alike.sort((a, b) => b.length - a.length);
  const access: ReviewedAccess[] = [];
  let left = 0;
  for (const users of alike) {
    const [first] = users;
    if (first === undefined) continue;
    if (options.isOver()) {
      left += users.length;
      continue;
    }
    access.push({
      users: users.map(({ name: id, created }) => {
        const used = options.use.thing("user", id, created);
        return used === undefined ? { id } : { id, last_used: used.last };
      }),
      groups: first.groups,
      policies: first.policies,
      rights: rightsOf(first, held.ofUser(first), options),
    });
  }
  return { access, left };
}

interface FoundVerb {
  readonly type: string;
  readonly verb: string;
  readonly action: string;
  readonly rule: Rule;
}

function rightsOf(
  { name: user }: ImagedUser,
  policies: readonly HeldPolicy[],
  { partition, types, use }: RightsOptions,
): readonly ReviewedRight[] {
  const { allows, denies } = rulesOf(policies, partition);
  const search = new PointSearch(user, partition, new SearchMemory());
  const compiled = compile(policies, { partition, evaluator: "extended" });
  const always = denies.filter(({ key }) => key === undefined);
  const found: FoundVerb[] = [];
  for (const { type, arn, actions } of types) {
    const pattern = arn.replace(/\{[^}]*\}/g, "*");
    for (const [verb, action] of Object.entries(actions)) {
      const target = ruleFor(action, pattern);
      for (const rule of allows) {
        if (!search.mayMeet(rule, target)) continue;
        const point = search.find([rule, target], always);
        if (point === undefined) continue;
        // The engine confirms what depends on no condition.
        if (
          point !== UNDECIDED &&
          rule.key === undefined &&
          decide(compiled, { user, required: point, context: new Map() }).effect !== "allow" &&
          denies.every(({ key }) => key === undefined)
        ) {
          continue;
        }
        found.push({ type, verb, action, rule });
      }
    }
  }
  const rows = Map.groupBy(found, ({ type, rule: { place } }) =>
    JSON.stringify([type, place.policy, place.statement]),
  );
  return [...rows.values()].map((all) => rightOf(all, policies, use));
}

function rightOf(all: readonly FoundVerb[], policies: readonly HeldPolicy[], use: UseOf): ReviewedRight {
  const { type, rule } = all[0] as FoundVerb;
  const { policy, statement, sid } = rule.place;
  const held = policies.find(({ name }) => name === policy);
  const written = held?.statement[statement];
  const uses = written === undefined ? new Map() : use.statement(policy, written);
  const last = lastOf(all.flatMap(({ action }) => uses.get(action) ?? []));
  return {
    type,
    verbs: [...new Set(all.map(({ verb }) => verb))],
    resources: rule.resources,
    policy,
    statement,
    ...(sid !== undefined && { sid }),
    via: held?.via ?? [],
    conditional: rule.key !== undefined,
    ...(last !== undefined && { last_used: last }),
  };
}

function ruleFor(action: string, resource: string): Rule {
  const place = { policy: "", statement: 0 };
  const always = { key: undefined, condition: undefined, reads: undefined, failure: false };
  return { place, deny: false, actions: [action], resources: [resource], ...always };
}
