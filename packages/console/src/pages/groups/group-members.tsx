/** The members of a group. */

import { userPage } from "../../parts/links.ts";
import { LinkedList } from "../../parts/lists/linked-list.tsx";
import { Name } from "../../parts/name.tsx";

/** Properties of the sections of a group. */
export interface GroupSectionProps {
  readonly group: string;
  /** Whether the person may do an action on the group. */
  readonly may: (action: string) => boolean;
}

/** Lists the members, adds and removes them. */
export function GroupMembers({ group, may }: GroupSectionProps) {
  return (
    <LinkedList
      title="Members"
      operation="GET /auth/groups/{groupId}/members"
      input={{ path: { groupId: group } }}
      what="members"
      columns={[
        { head: "User", kind: "main", cell: ({ id }) => <Name text={id} href={userPage(id)} /> },
        { head: "Friendly name", cell: ({ friendly_name: name = "" }) => <Name text={name} /> },
      ]}
      empty="This group has no members."
      link="/auth/groups/{groupId}/members/{userId}"
      pathTo={(userId) => ({ groupId: group, userId })}
      removal={
        may("auth:RemoveGroupMember") && {
          label: "Remove",
          nameOf: (user) => `${user} from ${group}`,
          questionOf: (user) => (
            <>
              Remove <bdi>{user}</bdi> from this group? The policies of the group then no longer apply to this
              user.
            </>
          ),
        }
      }
      addition={may("auth:AddGroupMember") && { label: "Add member", act: "Add", names: "GET /auth/users" }}
    />
  );
}
