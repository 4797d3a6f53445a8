/** The mark of policies that come with the service. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { SHIPPED_POLICIES } from "../../catalog/catalog.gen.ts";
import { useSession } from "../../frame/session.tsx";

const SHIPPED = new Map(SHIPPED_POLICIES.map((policy) => [policy.name, policy]));

/** Says that a policy comes with the service and what it is for, and whether somebody changed it since; else nothing. */
export function ShippedMark({ policy }: { readonly policy: Policy }) {
  const { partition } = useSession();
  const shipped = SHIPPED.get(policy.id);
  if (shipped === undefined) return null;
  const inPartition = grantsOf(shipped.statement).replaceAll('"arn:svc:', `"arn:${partition}:`);
  const isChanged = grantsOf(policy.statement) !== inPartition;
  return (
    <span class="quiet-text shipped" title={shipped.description}>
      {isChanged ? "shipped, changed here" : "shipped"}
    </span>
  );
}

/** The parts of statements that the service compares when it upgrades shipped policies, the same in any order of members. */
function grantsOf(statements: unknown): string {
  const parts = (statements as Policy["statement"]).map(({ effect, action, resource, condition }) => [
    effect,
    action,
    resource,
    condition ?? null,
  ]);
  return JSON.stringify(parts, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
}
