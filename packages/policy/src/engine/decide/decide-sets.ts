/**
 * Decisions about sets of resources, for requests of which only a part is known (spec/security §2.4, spec/security §2.5). A
 * leaf is allowed if one pattern of one allow contains its whole set and no deny can intersect it; a union of several
 * allows does not count. Trees and refusal texts are the same as for single resources.
 */

import type { ConditionFields, Outcome } from "../../model/decision.ts";
import type { RequiredOnSets, ResourceSet } from "../../model/resource-set.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import { bindUser, USER_PLACEHOLDER } from "../patterns/resource-pattern.ts";
import { SetMatcher } from "../patterns/set-matcher.ts";
import type { CompiledStatement } from "../statement.ts";
import { PER_ITEM, STEP_UNITS, type Steps } from "../work.ts";
import { ConditionResults } from "./condition-results.ts";
import { type EngineRequest, findLeafInSteps, onlyDeniesOwn } from "./decide.ts";
import { decideTree, type Leaf } from "./decide-tree.ts";
import type { LeafFindings } from "./deciding-place.ts";
import { Lookup } from "./lookup.ts";

/** The input of a decision. */
interface SetsRequest {
  readonly user: string;
  readonly required: RequiredOnSets;
  readonly context: ConditionFields;
  /** Condition fields of one resource, if resources have different fields. */
  readonly contextOf?: (resource: string) => ConditionFields;
  readonly decidedBy?: EngineRequest["decidedBy"];
}

type SetLeaf = Leaf<ResourceSet>;

/**
 * Decides whether the policies allow the required permissions on every ARN of their sets. It does so step by step: an
 * open set is compared with every statement of its action.
 */
export function* decideSetsInSteps(policies: CompiledPolicies, request: SetsRequest): Steps<Outcome> {
  const { user, required, context, contextOf, decidedBy } = request;
  const found = new Map<SetLeaf, LeafFindings>();
  const ofSets = new ConditionResults(user);
  const ofResources = new ConditionResults(user);
  const lookup = new Lookup();
  let work = 0;
  for (const leaf of leavesOf(required)) {
    const { parts } = leaf.resource;
    if (parts.length > 1) {
      found.set(leaf, yield* findOnSet(policies, leaf, request, ofSets, lookup));
      continue;
    }
    const one = { action: leaf.action, resource: parts[0] };
    const fields = contextOf === undefined ? context : contextOf(parts[0]);
    const asked = { user, context: fields, ...(decidedBy && { decidedBy }) };
    const { findings, units } = yield* findLeafInSteps(policies, one, asked, ofResources, lookup);
    found.set(leaf, findings);
    work += units;
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  return decideTree<ResourceSet>(required, {
    policies,
    user,
    context,
    contextOf: undefined,
    look: (leaf) => found.get(leaf) as LeafFindings,
    observe: undefined,
    denied: [],
    missing: [],
    decidedBy,
  });
}

/** The leaves of a tree with more than one ARN. */
export function openLeaves(required: RequiredOnSets): readonly SetLeaf[] {
  return leavesOf(required).filter(({ resource }) => resource.parts.length > 1);
}

function leavesOf(required: RequiredOnSets): readonly SetLeaf[] {
  if ("action" in required) return [required];
  if ("any_resource" in required) return [];
  return ("and" in required ? required.and : required.or).flatMap(leavesOf);
}

function* findOnSet(
  policies: CompiledPolicies,
  leaf: SetLeaf,
  { user, context }: SetsRequest,
  results: ConditionResults,
  lookup: Lookup,
): Steps<LeafFindings> {
  const set = new SetMatcher(leaf.resource, policies.options.partition);
  const onlyDenies = onlyDeniesOwn(policies, user);
  const failure = yield* lookup.failureInSteps(policies, { user, context }, results);
  let deny: CompiledStatement | undefined;
  let allow: CompiledStatement | undefined;
  let work = 0;
  for (const statement of yield* policies.statementsMatchingInSteps(leaf.action.toWellFormed())) {
    // Statements come in evaluation order: nothing after the first deny changes the outcome.
    if (deny !== undefined) break;
    if (!statement.deny && allow !== undefined) continue;
    if (!(yield* holds(statement, context, results))) continue;
    for (const resource of statement.resources ?? []) {
      work += PER_ITEM + resource.length * set.length;
      if (work > STEP_UNITS) {
        yield work;
        work = 0;
      }
      if (statement.deny) {
        if (set.meets(bound(resource, user))) deny = statement;
      } else if (!(onlyDenies && resource.includes(USER_PLACEHOLDER))) {
        if (set.contains(bound(resource, user))) allow ??= statement;
      }
    }
  }
  const isNamed = deny !== undefined && (failure === undefined || policies.earlier(failure, deny) === deny);
  return { deny: isNamed ? deny : undefined, failure, allowed: allow !== undefined, allow };
}

function bound(resource: string, user: string): string {
  return bindUser(resource, user).toWellFormed();
}

/**
 * True if the statement applies: an allow that is satisfied, a deny that is not unsatisfied. Each resource of the set may
 * have other attributes, so a deny that reads them may apply to one of them.
 */
function* holds(
  { condition, deny }: CompiledStatement,
  context: ConditionFields,
  results: ConditionResults,
): Steps<boolean> {
  if (condition === undefined) return true;
  if (condition.readsResource) return deny;
  const result = yield* results.of(condition, context);
  return deny ? result !== "unsatisfied" : result === "satisfied";
}
