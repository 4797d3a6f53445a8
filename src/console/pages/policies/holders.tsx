/** The groups and users that a policy is attached to. */

import type { ComponentChildren } from "preact";
import type { Group, User } from "../../api/management.gen.ts";
import { useMaySomewhere } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { groupPage, userPage } from "../../parts/links.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { Name } from "../../parts/name.tsx";
import { RemoveButton } from "../../parts/remove-button.tsx";
import { Section } from "../../parts/section.tsx";
import type { Column } from "../../parts/table.tsx";

/** Lists both, each for those who may read all of them, and detaches. */
export function Holders({ policy }: { readonly policy: string }) {
  const { actions } = useSession();
  const mayDetach = useMaySomewhere("auth:DetachPolicy");
  const input = { path: { policyId: policy } };
  const act = (cell: (row: { readonly id: string }) => ComponentChildren) =>
    mayDetach ? [{ head: "Detach", kind: "act", cell } as const] : [];
  const groups: readonly Column<Group>[] = [
    { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} href={groupPage(id)} /> },
    { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
    ...act(({ id }) => (
      <RemoveButton
        operation="DELETE /auth/groups/{groupId}/policies/{policyId}"
        input={{ path: { groupId: id, policyId: policy } }}
        label="Detach"
        name={`${policy} from ${id}`}
        question={
          <>
            Detach this policy from group <bdi>{id}</bdi>? It then no longer applies to members who do not
            hold it in another way.
          </>
        }
      />
    )),
  ];
  const users: readonly Column<User>[] = [
    { head: "User", kind: "main", cell: ({ id }) => <Name text={id} href={userPage(id)} /> },
    { head: "Friendly name", cell: ({ friendly_name: name = "" }) => <Name text={name} /> },
    ...act(({ id }) => (
      <RemoveButton
        operation="DELETE /auth/users/{userId}/policies/{policyId}"
        input={{ path: { userId: id, policyId: policy } }}
        label="Detach"
        name={`${policy} from ${id}`}
        question={
          <>
            Detach this policy from user <bdi>{id}</bdi>? It may still apply through a group.
          </>
        }
      />
    )),
  ];
  return (
    <>
      {actions.has("auth:ReadGroup") && (
        <Section title="Groups with this policy" about="It applies to every member of these groups.">
          <ListTable
            operation="GET /auth/policies/{policyId}/groups"
            input={input}
            what="groups"
            name="groups"
            columns={groups}
            keyOf={({ id }) => id}
            empty="It is attached to no group. Attach it on the page of a group."
          />
        </Section>
      )}
      {actions.has("auth:ReadUser") && (
        <Section
          title="Users with this policy"
          about="Those it is attached to directly, not through a group."
        >
          <ListTable
            operation="GET /auth/policies/{policyId}/users"
            input={input}
            what="users"
            name="users"
            columns={users}
            keyOf={({ id }) => id}
            empty="It is attached to no user directly."
          />
        </Section>
      )}
    </>
  );
}
