/** The groups of a user. */

import { useMaySomewhere } from "../../api/permissions.ts";
import { groupPage } from "../../parts/links.ts";
import { LinkedList } from "../../parts/lists/linked-list.tsx";
import { Name } from "../../parts/name.tsx";

/** Lists the groups, with the ways into others and out of these. */
export function UserGroups({ user }: { readonly user: string }) {
  const mayAdd = useMaySomewhere("auth:AddGroupMember");
  const mayRemove = useMaySomewhere("auth:RemoveGroupMember");
  return (
    <LinkedList
      title="Groups"
      operation="GET /auth/users/{userId}/groups"
      input={{ path: { userId: user } }}
      what="groups"
      columns={[
        { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} href={groupPage(id)} /> },
        { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
      ]}
      empty="This user is in no group."
      link="/auth/groups/{groupId}/members/{userId}"
      pathTo={(groupId) => ({ groupId, userId: user })}
      removal={
        mayRemove && {
          label: "Remove",
          nameOf: (group) => `${user} from ${group}`,
          questionOf: (group) => (
            <>
              Remove the user from group <bdi>{group}</bdi>? The policies of the group then no longer apply.
            </>
          ),
        }
      }
      addition={mayAdd && { label: "Add to group", act: "Add", names: "GET /auth/groups" }}
    />
  );
}
