/** The policies of a group. */

import { useSession } from "../../frame/session.tsx";
import { policyPage } from "../../parts/links.ts";
import { LinkedList } from "../../parts/lists/linked-list.tsx";
import { Name } from "../../parts/name.tsx";
import { Statements } from "../../parts/policies/statements.tsx";
import type { GroupSectionProps } from "./group-members.tsx";

/** Lists the policies, attaches and detaches them. */
export function GroupPolicies({ group, may }: GroupSectionProps) {
  const mayCompare = useSession().actions.has("auth:ReadPolicy");
  return (
    <LinkedList
      title="Policies"
      about="They apply to every member."
      operation="GET /auth/groups/{groupId}/policies"
      input={{ path: { groupId: group } }}
      what="policies"
      columns={[
        { head: "Policy", kind: "main", cell: ({ id }) => <Name text={id} href={policyPage(id)} /> },
        { head: "Allows and denies", cell: ({ statement }) => <Statements of={statement} most={3} /> },
      ]}
      empty="No policy is attached to this group."
      link="/auth/groups/{groupId}/policies/{policyId}"
      pathTo={(policyId) => ({ groupId: group, policyId })}
      removal={
        may("auth:DetachPolicy") && {
          label: "Detach",
          nameOf: (policy) => `${policy} from ${group}`,
          questionOf: (policy) => (
            <>
              Detach policy <bdi>{policy}</bdi> from this group? It then no longer applies to members who do
              not hold it in another way.
            </>
          ),
        }
      }
      addition={
        may("auth:AttachPolicy") && {
          label: "Attach policy",
          act: "Attach",
          names: "GET /auth/policies",
          compare: mayCompare ? (name) => ({ name, attach: { group } }) : undefined,
        }
      }
    />
  );
}
