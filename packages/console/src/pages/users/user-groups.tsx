/** The groups of a user. */

import type { Group } from "@svc-authorizer/contract/management-api.gen.ts";
import { useChange } from "../../api/hooks.ts";
import { useMaySomewhere } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { RemoveButton } from "../../parts/dialogs/remove-button.tsx";
import { groupPage } from "../../parts/links.ts";
import { AddByName } from "../../parts/lists/add-by-name.tsx";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";

/** Lists the groups, with the ways into others and out of these. */
export function UserGroups({ user }: { readonly user: string }) {
  const mayAdd = useMaySomewhere("auth:AddGroupMember");
  const mayRemove = useMaySomewhere("auth:RemoveGroupMember");
  const mayList = useSession().actions.has("auth:ListGroups");
  const addition = useChange("PUT /auth/groups/{groupId}/members/{userId}");
  const columns: readonly Column<Group>[] = [
    { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} href={groupPage(id)} /> },
    { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
    ...(mayRemove ? [{ head: "Remove", kind: "act", cell: leave } as const] : []),
  ];
  function leave({ id }: Group) {
    return (
      <RemoveButton
        operation="DELETE /auth/groups/{groupId}/members/{userId}"
        input={{ path: { groupId: id, userId: user } }}
        label="Remove"
        name={`${user} from ${id}`}
        question={
          <>
            Remove the user from group <bdi>{id}</bdi>? The policies of the group then no longer apply.
          </>
        }
      />
    );
  }
  return (
    <Section title="Groups">
      <ListTable
        operation="GET /auth/users/{userId}/groups"
        input={{ path: { userId: user } }}
        what="groups"
        name="groups"
        columns={columns}
        keyOf={({ id }) => id}
        empty="This user is in no group."
      />
      {mayAdd && (
        <AddByName
          label="Add to group"
          act="Add"
          list={mayList ? "GET /auth/groups" : undefined}
          change={addition}
          onAdd={(group, done) =>
            addition.mutate({ path: { groupId: group, userId: user } }, { onSuccess: done })
          }
        />
      )}
    </Section>
  );
}
