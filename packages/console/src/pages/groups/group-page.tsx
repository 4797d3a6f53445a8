/** One group: members, policies, access list, history. */

import { useAnswer } from "../../api/hooks.ts";
import { useActionsOn } from "../../api/permissions.ts";
import { DeleteButton } from "../../parts/dialogs/delete-button.tsx";
import { History } from "../../parts/history.tsx";
import { usePageName } from "../../parts/links.ts";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { AccessList } from "./access-list.tsx";
import { GroupMembers } from "./group-members.tsx";
import { GroupPolicies } from "./group-policies.tsx";

/** The page of the group that the address names. */
export default function GroupPage() {
  const id = usePageName();
  const actions = useActionsOn("group", id);
  const { data: group, error } = useAnswer("GET /auth/groups/{groupId}", { path: { groupId: id } });
  const setup = useAnswer("GET /setup", {});
  const may = (action: string): boolean => actions?.has(action) === true;
  return (
    <Page
      key={id}
      title={id}
      kind="Group"
      help="console"
      actions={may("auth:DeleteGroup") && group && <DeleteGroup id={id} />}
    >
      <Alert error={error} />
      {group === undefined && error === null && <Loading what="the group" />}
      {group !== undefined && (
        <>
          <dl class="facts">
            {group.description !== undefined && group.description !== "" && <dt>Description</dt>}
            {group.description !== undefined && group.description !== "" && (
              <dd>
                <Name text={group.description} />
              </dd>
            )}
            <dt>Created</dt>
            <dd>
              <Time at={group.creation_date} />
            </dd>
          </dl>
          <GroupMembers group={id} may={may} />
          {setup.data?.login_config.RBAC === "simplified" && <AccessList group={id} may={may} />}
          <GroupPolicies group={id} may={may} />
          <History about={`group:${id}`} />
        </>
      )}
    </Page>
  );
}

function DeleteGroup({ id }: { readonly id: string }) {
  const path = { groupId: id };
  const members = useAnswer("GET /auth/groups/{groupId}/members", { path, query: { amount: 1000 } });
  const { results = [], pagination } = members.data ?? {};
  const count = pagination?.has_more === true ? "more than 1,000" : String(results.length);
  return (
    <DeleteButton
      kind="group"
      name={id}
      operation="DELETE /auth/groups/{groupId}"
      input={{ path: { groupId: id } }}
      next="/groups"
    >
      <p>
        It has {count} {count === "1" ? "member" : "members"}, who stay. They lose what the policies of the
        group allow, and also what they deny, unless it reaches them in another way. The policies stay, too.
      </p>
    </DeleteButton>
  );
}
