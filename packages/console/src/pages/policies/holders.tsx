/** The groups and users that a policy is attached to. */

import type { Group, User } from "@svc-authorizer/contract/management-api.gen.ts";
import { useChange } from "../../api/hooks.ts";
import { useMaySomewhere } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { RemoveButton } from "../../parts/dialogs/remove-button.tsx";
import { groupPage, userPage } from "../../parts/links.ts";
import { AddByName } from "../../parts/lists/add-by-name.tsx";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";

interface HoldersProps {
  readonly policy: string;
}

/** Lists both, each for those who may read all of them, attaches and detaches. */
export function Holders({ policy }: HoldersProps) {
  const { actions } = useSession();
  return (
    <>
      {actions.has("auth:ReadGroup") && <Groups policy={policy} />}
      {actions.has("auth:ReadUser") && <Users policy={policy} />}
    </>
  );
}

function Groups({ policy }: HoldersProps) {
  const { actions } = useSession();
  const mayAttach = useMaySomewhere("auth:AttachPolicy");
  const mayDetach = useMaySomewhere("auth:DetachPolicy");
  const attachment = useChange("PUT /auth/groups/{groupId}/policies/{policyId}");
  const columns: readonly Column<Group>[] = [
    { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} href={groupPage(id)} /> },
    { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
    ...(mayDetach ? [{ head: "Detach", kind: "act", cell: detach } as const] : []),
  ];
  function detach({ id }: Group) {
    return (
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
    );
  }
  return (
    <Section title="Groups with this policy" about="It applies to every member of these groups.">
      <ListTable
        operation="GET /auth/policies/{policyId}/groups"
        input={{ path: { policyId: policy } }}
        what="groups"
        name="groups"
        columns={columns}
        keyOf={({ id }) => id}
        empty="It is attached to no group."
      />
      {mayAttach && (
        <AddByName
          label="Group to attach it to"
          act="Attach to group"
          list={actions.has("auth:ListGroups") ? "GET /auth/groups" : undefined}
          compare={(group) => ({ name: policy, attach: { group } })}
          compareAs="What this changes"
          change={attachment}
          onAdd={(group, done) =>
            attachment.mutate({ path: { groupId: group, policyId: policy } }, { onSuccess: done })
          }
        />
      )}
    </Section>
  );
}

function Users({ policy }: HoldersProps) {
  const { actions } = useSession();
  const mayAttach = useMaySomewhere("auth:AttachPolicy");
  const mayDetach = useMaySomewhere("auth:DetachPolicy");
  const attachment = useChange("PUT /auth/users/{userId}/policies/{policyId}");
  const columns: readonly Column<User>[] = [
    { head: "User", kind: "main", cell: ({ id }) => <Name text={id} href={userPage(id)} /> },
    { head: "Friendly name", cell: ({ friendly_name: name = "" }) => <Name text={name} /> },
    ...(mayDetach ? [{ head: "Detach", kind: "act", cell: detach } as const] : []),
  ];
  function detach({ id }: User) {
    return (
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
    );
  }
  return (
    <Section title="Users with this policy" about="Those it is attached to directly, not through a group.">
      <ListTable
        operation="GET /auth/policies/{policyId}/users"
        input={{ path: { policyId: policy } }}
        what="users"
        name="users"
        columns={columns}
        keyOf={({ id }) => id}
        empty="It is attached to no user directly."
      />
      {mayAttach && (
        <AddByName
          label="User to attach it to"
          act="Attach to user"
          list={actions.has("auth:ListUsers") ? "GET /auth/users" : undefined}
          compare={(user) => ({ name: policy, attach: { user } })}
          compareAs="What this changes"
          change={attachment}
          onAdd={(user, done) =>
            attachment.mutate({ path: { userId: user, policyId: policy } }, { onSuccess: done })
          }
        />
      )}
    </Section>
  );
}
