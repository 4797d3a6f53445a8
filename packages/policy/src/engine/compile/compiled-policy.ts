/** One policy, compiled once for each version and shared by every set of policies that holds it. */

import type { NamedStatements, Statement } from "../../model/policy.ts";
import { trimmed } from "../../model/trimmed.ts";
import type { CompiledStatement, StatementPool } from "../statement.ts";
import { PER_ITEM, STEP_UNITS } from "../work.ts";

/** A compiled policy. */
export interface CompiledPolicy {
  readonly source: NamedStatements;
  readonly statements: readonly CompiledStatement[];
}

/** Units of work within which a policy is compiled in one go. */
const SHORT = 20_000;

/** A policy that was compiled in one go, with the units of work that it took. */
interface CompiledAtOnce {
  readonly policy: CompiledPolicy;
  readonly work: number;
}

/** Compiles a short policy without conditions, as most are; undefined for another, which is compiled step by step. */
export function compileShortPolicy(source: NamedStatements, pool: StatementPool): CompiledAtOnce | undefined {
  const work = source.statement.reduce((sum, statement) => sum + unitsOf(statement), 0);
  if (work > SHORT) return undefined;
  const statements: CompiledStatement[] = [];
  for (let index = 0; index < source.statement.length; index++) {
    const compiled = pool.compileWithoutCondition(source, index);
    if (compiled === undefined) return undefined;
    statements.push(compiled);
  }
  return { policy: { source, statements: trimmed(statements) }, work };
}

/** Compiles a policy step by step; yields the units of work done since the last step. */
export function* compilePolicyInSteps(
  source: NamedStatements,
  pool: StatementPool,
): Generator<number, CompiledPolicy> {
  const statements: CompiledStatement[] = [];
  let work = 0;
  for (let index = 0; index < source.statement.length; index++) {
    statements.push(pool.compileWithoutCondition(source, index) ?? (yield* pool.compile(source, index)));
    work += unitsOf(source.statement[index] as Statement);
    if (work < STEP_UNITS) continue;
    yield work;
    work = 0;
  }
  if (work > 0) yield work;
  return { source, statements: trimmed(statements) };
}

/** Without its condition, which has steps of its own. */
function unitsOf({ action, resource }: Statement): number {
  return PER_ITEM * (1 + action.length) + 8 * resource.length;
}
