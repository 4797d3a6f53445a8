/** One user: groups, policies, access keys, history. */

import { useAnswer } from "../../api/hooks.ts";
import { useActionsOn } from "../../api/permissions.ts";
import { AccessKeys } from "../../parts/access-keys.tsx";
import { DeleteButton } from "../../parts/dialogs/delete-button.tsx";
import { History } from "../../parts/history.tsx";
import { usePageName } from "../../parts/links.ts";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { EditUser } from "./edit-user.tsx";
import { LastUse } from "./last-use.tsx";
import { UserGroups } from "./user-groups.tsx";
import { UserPolicies } from "./user-policies.tsx";
import { UserSessions } from "./user-sessions.tsx";

/** The page of the user that the address names. */
export default function UserPage() {
  const id = usePageName();
  const actions = useActionsOn("user", id);
  const { data: user, error } = useAnswer("GET /auth/users/{userId}", { path: { userId: id } });
  const may = (action: string): boolean => actions?.has(action) === true;
  return (
    <Page
      key={id}
      title={id}
      kind="User"
      help="console"
      actions={
        user && (
          <>
            {may("auth:CreateUser") && <EditUser user={user} />}
            {may("auth:DeleteUser") && <DeleteUser id={id} />}
          </>
        )
      }
    >
      <Alert error={error} />
      {user === undefined && error === null && <Loading what="the user" />}
      {user !== undefined && (
        <>
          {user.inactive === true && (
            <p class="warnings">
              This user is inactive: everything is refused, and its access keys are refused.
            </p>
          )}
          <dl class="facts">
            {user.friendly_name !== undefined && <dt>Friendly name</dt>}
            {user.friendly_name !== undefined && (
              <dd>
                <Name text={user.friendly_name} />
              </dd>
            )}
            {user.email !== undefined && <dt>E-mail</dt>}
            {user.email !== undefined && (
              <dd>
                <Name text={user.email} />
              </dd>
            )}
            <dt>Created</dt>
            <dd>
              <Time at={user.creation_date} />
            </dd>
            <LastUse user={id} />
          </dl>
          <UserGroups user={id} />
          <UserPolicies user={id} may={may} />
          {may("auth:ListCredentials") && (
            <Section
              title="Access keys"
              about="With a key, programs and people prove that they are this user."
            >
              <AccessKeys user={id} may={may} />
            </Section>
          )}
          <UserSessions user={id} may={may} />
          <History about={`user:${id}`} />
        </>
      )}
    </Page>
  );
}

function DeleteUser({ id }: { readonly id: string }) {
  return (
    <DeleteButton
      kind="user"
      name={id}
      operation="DELETE /auth/users/{userId}"
      input={{ path: { userId: id } }}
      next="/users"
    >
      <p>
        Its access keys stop working and its sessions end at once. Its memberships, attached policies and
        external principals go with it. A new user of the same name gets none of them back.
      </p>
    </DeleteButton>
  );
}
