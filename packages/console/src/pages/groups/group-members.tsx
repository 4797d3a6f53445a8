/** The members of a group. */

import type { User } from "@svc-authorizer/contract/management-api.gen.ts";
import { useChange } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { RemoveButton } from "../../parts/dialogs/remove-button.tsx";
import { userPage } from "../../parts/links.ts";
import { AddByName } from "../../parts/lists/add-by-name.tsx";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";

/** Properties of the sections of a group. */
export interface GroupSectionProps {
  readonly group: string;
  /** Whether the person may do an action on the group. */
  readonly may: (action: string) => boolean;
}

/** Lists the members, adds and removes them. */
export function GroupMembers({ group, may }: GroupSectionProps) {
  const mayList = useSession().actions.has("auth:ListUsers");
  const addition = useChange("PUT /auth/groups/{groupId}/members/{userId}");
  const columns: readonly Column<User>[] = [
    { head: "User", kind: "main", cell: ({ id }) => <Name text={id} href={userPage(id)} /> },
    { head: "Friendly name", cell: ({ friendly_name: name = "" }) => <Name text={name} /> },
    ...(may("auth:RemoveGroupMember") ? [{ head: "Remove", kind: "act", cell: remove } as const] : []),
  ];
  function remove({ id }: User) {
    return (
      <RemoveButton
        operation="DELETE /auth/groups/{groupId}/members/{userId}"
        input={{ path: { groupId: group, userId: id } }}
        label="Remove"
        name={`${id} from ${group}`}
        question={
          <>
            Remove <bdi>{id}</bdi> from this group? The policies of the group then no longer apply to this
            user.
          </>
        }
      />
    );
  }
  return (
    <Section title="Members">
      <ListTable
        operation="GET /auth/groups/{groupId}/members"
        input={{ path: { groupId: group } }}
        what="members"
        name="members"
        columns={columns}
        keyOf={({ id }) => id}
        empty="This group has no members."
      />
      {may("auth:AddGroupMember") && (
        <AddByName
          label="Add member"
          act="Add"
          list={mayList ? "GET /auth/users" : undefined}
          change={addition}
          onAdd={(user, done) =>
            addition.mutate({ path: { groupId: group, userId: user } }, { onSuccess: done })
          }
        />
      )}
    </Section>
  );
}
