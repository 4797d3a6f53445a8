/** One policy, compiled once for each version and shared by every set of policies that holds it. */

import type { NamedStatements, Statement } from "../../model/policy.ts";
import type { CompiledStatement, StatementPool } from "../statement.ts";
import { PER_ITEM, STEP_UNITS } from "../work.ts";

/** A compiled policy. */
export interface CompiledPolicy {
  readonly source: NamedStatements;
  readonly statements: readonly CompiledStatement[];
}

/** Compiles a policy step by step; yields the units of work done since the last step. */
export function* compilePolicyInSteps(
  source: NamedStatements,
  pool: StatementPool,
): Generator<number, CompiledPolicy> {
  const statements: CompiledStatement[] = [];
  let work = 0;
  for (let index = 0; index < source.statement.length; index++) {
    statements.push(yield* pool.compile(source, index));
    work += unitsOf(source.statement[index] as Statement);
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  if (work > 0) yield work;
  return { source, statements };
}

/** Without its condition, which has steps of its own. */
function unitsOf({ action, resource }: Statement): number {
  return PER_ITEM * (1 + action.length) + 8 * resource.length;
}
