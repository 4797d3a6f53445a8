/** The policies of a group. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useChange } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { RemoveButton } from "../../parts/dialogs/remove-button.tsx";
import { policyPage } from "../../parts/links.ts";
import { AddByName } from "../../parts/lists/add-by-name.tsx";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Statements } from "../../parts/policies/statements.tsx";
import { Section } from "../../parts/section.tsx";
import type { GroupSectionProps } from "./group-members.tsx";

/** Lists the policies, attaches and detaches them. */
export function GroupPolicies({ group, may }: GroupSectionProps) {
  const { actions } = useSession();
  const attachment = useChange("PUT /auth/groups/{groupId}/policies/{policyId}");
  const columns: readonly Column<Policy>[] = [
    { head: "Policy", kind: "main", cell: ({ id }) => <Name text={id} href={policyPage(id)} /> },
    { head: "Allows and denies", cell: ({ statement }) => <Statements of={statement} most={3} /> },
    ...(may("auth:DetachPolicy") ? [{ head: "Detach", kind: "act", cell: detach } as const] : []),
  ];
  function detach({ id }: Policy) {
    return (
      <RemoveButton
        operation="DELETE /auth/groups/{groupId}/policies/{policyId}"
        input={{ path: { groupId: group, policyId: id } }}
        label="Detach"
        name={`${id} from ${group}`}
        question={
          <>
            Detach policy <bdi>{id}</bdi> from this group? It then no longer applies to members who do not
            hold it in another way.
          </>
        }
      />
    );
  }
  return (
    <Section title="Policies" about="They apply to every member.">
      <ListTable
        operation="GET /auth/groups/{groupId}/policies"
        input={{ path: { groupId: group } }}
        what="policies"
        name="policies"
        columns={columns}
        keyOf={({ id }) => id}
        empty="No policy is attached to this group."
      />
      {may("auth:AttachPolicy") && (
        <AddByName
          label="Attach policy"
          act="Attach"
          list={actions.has("auth:ListPolicies") ? "GET /auth/policies" : undefined}
          {...(actions.has("auth:ReadPolicy")
            ? { compare: (name: string) => ({ name, attach: { group } }) }
            : {})}
          change={attachment}
          onAdd={(policy, done) =>
            attachment.mutate({ path: { groupId: group, policyId: policy } }, { onSuccess: done })
          }
        />
      )}
    </Section>
  );
}
