/** The mark of policies that come with the service. */

import type { Policy } from "../../api/management.gen.ts";
import { SHIPPED_POLICIES } from "../../catalog/catalog.gen.ts";
import { useSession } from "../../frame/session.tsx";

const SHIPPED = new Map(SHIPPED_POLICIES.map((policy) => [policy.name, policy]));

/** Says that a policy comes with the service and what it is for, and whether somebody changed it since; else nothing. */
export function ShippedMark({ policy }: { readonly policy: Policy }) {
  const { partition } = useSession();
  const shipped = SHIPPED.get(policy.id);
  if (shipped === undefined) return null;
  const inPartition = JSON.stringify(shipped.statement).replaceAll('"arn:svc:', `"arn:${partition}:`);
  const isChanged = JSON.stringify(policy.statement) !== inPartition;
  return (
    <span class="quiet-text shipped" title={shipped.description}>
      {isChanged ? "shipped, changed here" : "shipped"}
    </span>
  );
}
