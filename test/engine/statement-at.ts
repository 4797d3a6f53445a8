import type { CompiledPolicies } from "../../src/engine/compile.ts";
import type { DecidingPlace } from "../../src/engine/deciding-place.ts";
import type { CompiledStatement } from "../../src/engine/statement.ts";

/** The statement for which a place stands. */
export function statementAt(
  { set, order, statement }: DecidingPlace,
  { sets }: CompiledPolicies,
): CompiledStatement | undefined {
  return statement ?? sets[set]?.statementAt(order);
}
