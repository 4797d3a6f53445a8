/** The tests of conditions: the wanted and the given values. */

import type { ConditionTest } from "@svc-authorizer/contract/management-api.gen.ts";

const RESULTS: Readonly<Record<ConditionTest["result"], string>> = {
  satisfied: "holds",
  unsatisfied: "does not hold",
  unreadable: "cannot be compared",
  error: "cannot be evaluated",
};

/** Lists the tests, one for each operator and field; nothing where there are none. */
export function ConditionTests({ of: tests }: { readonly of: readonly ConditionTest[] }) {
  if (tests.length === 0) return null;
  return (
    <ul class="plain tests">
      {tests.map(({ operator, field, wanted, wanted_total: total, given, result }) => (
        <li key={`${operator} ${field}`}>
          <code>{operator}</code> <bdi>{field}</bdi> wants <bdi>{wanted.join(" or ")}</bdi>
          {total !== undefined && ` and ${total - wanted.length} more`}, given{" "}
          {given === undefined ? "nothing" : <bdi>{[given].flat().join(", ")}</bdi>}:{" "}
          <span class={result === "satisfied" ? "effect allow" : "effect deny"}>{RESULTS[result]}</span>
        </li>
      ))}
    </ul>
  );
}
