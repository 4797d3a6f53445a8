/** The decision corpus through the embedded decision point. */
import { readFileSync } from "node:fs";
import { DecisionPoint } from "@svc-authorizer/client/embedded/decision-point.ts";
import { ReplicaState } from "@svc-authorizer/client/embedded/replica-state.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { expect, it } from "vitest";

interface Vector {
  readonly id: string;
  readonly title: string;
  readonly user: string;
  readonly policies: readonly NamedStatements[];
  readonly required: RequiredPermissions;
  readonly context?: Record<string, string>;
  readonly expected: string;
  readonly message?: string;
  readonly divergence?: unknown;
}

const { vectors } = JSON.parse(readFileSync("fixtures/decisions/evaluation-vectors.json", "utf8")) as {
  vectors: readonly Vector[];
};

/** A state in which the vector's user has exactly its policies. */
function stateOf({ user, policies }: Vector): ReplicaState {
  const state = new ReplicaState();
  state.apply(["user", user, { id: "u" }]);
  for (const [index, { name, statement }] of policies.entries()) {
    state.apply(["policy", name, { id: `p${index}`, rev: "1", statement }]);
    state.apply(["user_policy", `u/${name}`, { id: `p${index}` }]);
  }
  return state;
}

/** A directory holds no such user or policy, and decisions are stricter than a data server's there. */
const NOT_HELD = ["V099", "V165"];

/** Names of policies are unique in a directory; evaluation order is that of the names. */
const usable = vectors.filter(({ id, policies }) => {
  const names = policies.map(({ name }) => name);
  return (
    !NOT_HELD.includes(id) &&
    new Set(names).size === names.length &&
    names.every((name, n) => n === 0 || names[n - 1]! < name)
  );
});

it("has most of the corpus", () => {
  expect(usable.length).toBeGreaterThan(90);
});

it.each(usable)("$id $title", (vector) => {
  const settings = { partition: "svc", request_properties: "fill", policies_per_user: 10_000 } as const;
  const outcome = new DecisionPoint(stateOf(vector), settings).decide(
    vector.user,
    vector.required,
    vector.context,
  );
  expect(outcome?.effect).toBe(vector.expected);
  if (vector.message !== undefined) expect(outcome?.message).toBe(vector.message);
});
