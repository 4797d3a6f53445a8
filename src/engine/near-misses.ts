/** Statements that would allow but for one thing: what somebody who is refused most likely meant. */

import type { NearMiss, RequiredLeaf } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import type { EngineRequest } from "./decide.ts";
import { bindUser, matchesResource } from "./resource-pattern.ts";
import { type CompiledStatement, matchingAction } from "./statement.ts";

const MOST_MISSES = 5;
/** Statements looked at between two steps. */
const STEP = 128;
/** Above every score of a common beginning (at most 1): only the condition stood in the way. */
const CONDITION_SCORE = 2;

interface Scored extends NearMiss {
  readonly score: number;
}

/** Length of the common beginning, as a share of the required text. */
function closeness(pattern: string, required: string): number {
  let same = 0;
  while (same < required.length && pattern.charCodeAt(same) === required.charCodeAt(same)) same++;
  return same / Math.max(1, required.length);
}

function miss(
  policies: CompiledPolicies,
  statement: CompiledStatement,
  leaf: RequiredLeaf,
  { user, context }: EngineRequest,
): Scored | undefined {
  const at = { policy: statement.policy.name, statement: statement.index };
  const resources = (statement.resources ?? []).map((resource) => bindUser(resource, user));
  const actionMatches = matchingAction(statement, leaf.action) !== undefined;
  const resourceMatches = resources.some((one) =>
    matchesResource(one, leaf.resource, user, policies.options.partition),
  );
  const conditionHolds = (statement.condition?.evaluate(context, user) ?? "satisfied") === "satisfied";
  if (actionMatches && resourceMatches && !conditionHolds) {
    return { ...at, why: "condition", detail: "the condition is not satisfied", score: CONDITION_SCORE };
  }
  if (!conditionHolds) return undefined;
  if (resourceMatches && !actionMatches) {
    const { patterns } = statement.actions;
    const score = Math.max(0, ...patterns.map((pattern) => closeness(pattern, leaf.action)));
    return { ...at, why: "action", detail: `${leaf.action} is not among ${patterns.join(", ")}`, score };
  }
  if (actionMatches && !resourceMatches) {
    const score = Math.max(0, ...resources.map((one) => closeness(one, leaf.resource)));
    return {
      ...at,
      why: "resource",
      detail: `${leaf.resource} does not match ${resources.join(", ")}`,
      score,
    };
  }
  return undefined;
}

/** At most five near misses of neutral leaves, the closest first; found step by step. */
export function* nearMissesInSteps(
  policies: CompiledPolicies,
  leaves: readonly RequiredLeaf[],
  request: EngineRequest,
): Generator<void, NearMiss[]> {
  const best: Scored[] = [];
  for (const leaf of leaves) {
    for (const statement of policies.statements) {
      if (statement.order % STEP === 0) yield;
      if (statement.deny) continue;
      const found = miss(policies, statement, leaf, request);
      if (found === undefined || (best.length === MOST_MISSES && found.score <= (best.at(-1)?.score ?? 0)))
        continue;
      best.push(found);
      best.sort((a, b) => b.score - a.score);
      if (best.length > MOST_MISSES) best.pop();
    }
  }
  return best.map(({ score: _, ...nearMiss }) => nearMiss);
}
