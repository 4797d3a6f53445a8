/** One's own keys, groups and policies: all that a person without rights sees. */

import type { Group, Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useActionsOn } from "../../api/permissions.ts";
import { useSession } from "../../frame/session.tsx";
import { AccessKeys } from "../../parts/access-keys.tsx";
import { ListTable } from "../../parts/lists/list-table.tsx";
import type { Column } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Page } from "../../parts/page.tsx";
import { Statements } from "../../parts/policies/statements.tsx";
import { Section } from "../../parts/section.tsx";
import { SessionList } from "../../parts/session-list.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Time } from "../../parts/time.tsx";
import { SignedIn } from "./signed-in.tsx";

const GROUPS: readonly Column<Group>[] = [
  { head: "Group", kind: "main", cell: ({ id }) => <Name text={id} /> },
  { head: "Description", cell: ({ description = "" }) => <Name text={description} /> },
];
const POLICIES: readonly Column<Policy>[] = [
  { head: "Policy", kind: "main", cell: ({ id }) => <Name text={id} /> },
  { head: "Allows and denies", cell: ({ statement }) => <Statements of={statement} /> },
];

/** The page of the person who signed in. */
export default function AccountPage() {
  const { user } = useSession();
  const actions = useActionsOn("user", user);
  const { data, error } = useAnswer("GET /user", {});
  const may = (action: string): boolean => actions?.has(action) === true;
  return (
    <Page title="Account" help="console">
      <Alert error={error} />
      {data !== undefined && (
        <dl class="facts">
          <dt>User</dt>
          <dd>
            <Name text={data.user.id} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={data.user.creation_date} />
          </dd>
        </dl>
      )}
      <SignedIn user={user} />
      {actions === undefined && <Loading what="your permissions" />}
      {actions !== undefined && (
        <>
          <Section title="Access keys">
            {may("auth:ListCredentials") ? (
              <AccessKeys user={user} may={may} />
            ) : (
              <Refused what="access keys" action="auth:ListCredentials" />
            )}
          </Section>
          {may("auth:ListCredentials") && (
            <Section title="Sessions" about="Where somebody is signed in as you.">
              <SessionList user={user} mayEnd={may("auth:DeleteCredentials")} />
            </Section>
          )}
          <Held user={user} mayRead={may("auth:ReadUser")} />
        </>
      )}
    </Page>
  );
}

function Held({ user, mayRead }: { readonly user: string; readonly mayRead: boolean }) {
  const input = { path: { userId: user } };
  return (
    <>
      <Section title="Groups">
        {mayRead ? (
          <ListTable
            operation="GET /auth/users/{userId}/groups"
            input={input}
            what="groups"
            name="groups"
            columns={GROUPS}
            keyOf={({ id }) => id}
            empty="You are in no group."
          />
        ) : (
          <Refused what="groups" action="auth:ReadUser" />
        )}
      </Section>
      <Section
        title="Policies"
        about="What you may do, and what is denied to you, directly or through a group."
      >
        {mayRead ? (
          <ListTable
            operation="GET /auth/users/{userId}/policies"
            input={{ ...input, query: { effective: true } }}
            what="policies"
            name="policies"
            columns={POLICIES}
            keyOf={({ id }) => id}
            empty="No policy applies to you, so everything is refused."
          />
        ) : (
          <Permitted />
        )}
      </Section>
    </>
  );
}

/** The actions that a person may do everywhere: what one may know about oneself without any permission. */
function Permitted() {
  const { actions } = useSession();
  return (
    <>
      <Refused what="policies" action="auth:ReadUser" />
      <p>You may do these actions on every resource; there may be more on single ones:</p>
      {actions.size === 0 ? (
        <p class="quiet-text">none</p>
      ) : (
        <ul class="words">
          {[...actions].map((action) => (
            <li key={action}>
              <code>{action}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Refused({ what, action }: { readonly what: string; readonly action: string }) {
  return (
    <p class="quiet-text">
      Your policies do not let you list your {what}: that takes <code>{action}</code> on your own user. An
      administrator can attach a policy that allows it.
    </p>
  );
}
