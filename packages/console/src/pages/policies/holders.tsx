/** The groups and users that a policy is attached to. */

import { useMaySomewhere } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { groupPage, userPage } from "../../parts/links.ts";
import { LinkedList } from "../../parts/lists/linked-list.tsx";
import { Name } from "../../parts/name.tsx";

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
  const mayAttach = useMaySomewhere("auth:AttachPolicy");
  const mayDetach = useMaySomewhere("auth:DetachPolicy");
  return (
    <LinkedList
      title="Groups with this policy"
      about="It applies to every member of these groups."
      operation="GET /auth/policies/{policyId}/groups"
      input={{ path: { policyId: policy } }}
      what="groups"
      columns={[
        { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} href={groupPage(id)} /> },
        { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
      ]}
      empty="It is attached to no group."
      link="/auth/groups/{groupId}/policies/{policyId}"
      pathTo={(groupId) => ({ groupId, policyId: policy })}
      removal={
        mayDetach && {
          label: "Detach",
          nameOf: (group) => `${policy} from ${group}`,
          questionOf: (group) => (
            <>
              Detach this policy from group <bdi>{group}</bdi>? It then no longer applies to members who do
              not hold it in another way.
            </>
          ),
        }
      }
      addition={
        mayAttach && {
          label: "Group to attach it to",
          act: "Attach to group",
          names: "GET /auth/groups",
          compare: (group) => ({ name: policy, attach: { group } }),
          compareAs: "What this changes",
        }
      }
    />
  );
}

function Users({ policy }: HoldersProps) {
  const mayAttach = useMaySomewhere("auth:AttachPolicy");
  const mayDetach = useMaySomewhere("auth:DetachPolicy");
  return (
    <LinkedList
      title="Users with this policy"
      about="Those it is attached to directly, not through a group."
      operation="GET /auth/policies/{policyId}/users"
      input={{ path: { policyId: policy } }}
      what="users"
      columns={[
        { head: "User", kind: "main", cell: ({ id }) => <Name text={id} href={userPage(id)} /> },
        { head: "Friendly name", cell: ({ friendly_name: name = "" }) => <Name text={name} /> },
      ]}
      empty="It is attached to no user directly."
      link="/auth/users/{userId}/policies/{policyId}"
      pathTo={(userId) => ({ userId, policyId: policy })}
      removal={
        mayDetach && {
          label: "Detach",
          nameOf: (user) => `${policy} from ${user}`,
          questionOf: (user) => (
            <>
              Detach this policy from user <bdi>{user}</bdi>? It may still apply through a group.
            </>
          ),
        }
      }
      addition={
        mayAttach && {
          label: "User to attach it to",
          act: "Attach to user",
          names: "GET /auth/users",
          compare: (user) => ({ name: policy, attach: { user } }),
          compareAs: "What this changes",
        }
      }
    />
  );
}
