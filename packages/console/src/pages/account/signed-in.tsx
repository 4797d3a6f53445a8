/** The sign-in of a person: by which way, until when, and where the groups came from. */

import type { Answer } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import { type Column, Table } from "../../parts/lists/table.tsx";
import { Name } from "../../parts/name.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Time } from "../../parts/time.tsx";
import { ChangePassword } from "./change-password.tsx";

type SessionFacts = Answer<"GET /auth/session">;
type Membership = SessionFacts["groups"][number];

const ORIGINS: Readonly<Record<Membership["from"], string>> = {
  identity_provider: "Identity provider",
  data_set: "A data set",
  directory: "An administrator, or SCIM",
};

const COLUMNS: readonly Column<Membership>[] = [
  { head: "Group", kind: "main", cell: ({ name }) => <Name text={name} /> },
  {
    head: "Comes from",
    cell: ({ from, provider }) => (provider === undefined ? ORIGINS[from] : `${ORIGINS[from]} ${provider}`),
  },
];

/** The sections. */
export function SignedIn({ user }: { readonly user: string }) {
  const { data, error } = useAnswer("GET /auth/session", {});
  if (data === undefined) return <Alert error={error} />;
  const { provider, expires_at: end, groups, more_groups: hasMore } = data;
  return (
    <>
      <Section title="Sign-in">
        <dl class="facts">
          <dt>Signed in with</dt>
          <dd>{provider === undefined ? "An access key or a password of this service" : provider.title}</dd>
          <dt>The session ends</dt>
          <dd>{end === undefined ? "With the access key" : <Time at={end} />}</dd>
        </dl>
      </Section>
      <Section title="Where your groups come from">
        <Table
          label="memberships"
          columns={COLUMNS}
          rows={groups}
          keyOf={({ name }) => name}
          empty="You are a member of nothing."
        />
        {hasMore && <p class="quiet-text">There are more than these {groups.length}.</p>}
      </Section>
      {data.has_password === true && <ChangePassword user={user} />}
    </>
  );
}
