/** The sessions of a user. */

import type { UserSession } from "@svc-authorizer/contract/management-api.gen.ts";
import { useChange } from "../api/hooks.ts";
import { ListTable } from "./lists/list-table.tsx";
import type { Column } from "./lists/table.tsx";
import { Alert } from "./states/alert.tsx";
import { Time } from "./time.tsx";

const WAYS = new Map([
  ["access_key", "Access key"],
  ["password", "Password"],
  ["openid_connect", "Identity provider"],
  ["device", "Program, confirmed in a browser"],
  ["token_exchange", "Program, with a token of its platform"],
  ["aws_iam", "Program, with a role of AWS"],
  ["authentication_api", "Program, with an identity that another server verified"],
  // Of sessions that an earlier version began.
  ["external_principal", "Program, with a role of a cloud"],
]);

/** Properties of {@link SessionList}. */
interface SessionListProps {
  readonly user: string;
  readonly mayEnd: boolean;
}

/** Lists where somebody is signed in as the user, and ends one session. */
export function SessionList({ user, mayEnd }: SessionListProps) {
  const end = useChange("DELETE /auth/users/{userId}/sessions/{sessionId}");
  const columns: readonly Column<UserSession>[] = [
    { head: "Signed in", kind: "main", cell: ({ created_at: at }) => <Time at={at} /> },
    { head: "With", cell: (session) => <Way of={session} /> },
    { head: "From", cell: ({ source_ip = "" }) => <code>{source_ip}</code> },
    { head: "Ends", cell: ({ expires_at: at }) => <Time at={at} /> },
    {
      head: "End",
      kind: "act",
      cell: ({ id, source_ip = "", is_current }) =>
        is_current ? (
          <span class="tag">this session</span>
        ) : (
          mayEnd && (
            <button
              type="button"
              class="small"
              aria-label={`End the session from ${source_ip}`}
              disabled={end.isPending}
              onClick={() => end.mutate({ path: { userId: user, sessionId: id } })}
            >
              End
            </button>
          )
        ),
    },
  ];
  return (
    <>
      <ListTable
        operation="GET /auth/users/{userId}/sessions"
        input={{ path: { userId: user } }}
        what="sessions"
        name="sessions"
        columns={columns}
        keyOf={({ id }) => id}
        isSearchable={false}
        empty="No session of this user is known here. One from before an upgrade, and one of a data server, is not listed."
      />
      {end.isSuccess && <p role="status">The session has ended.</p>}
      <Alert error={end.error} />
    </>
  );
}

function Way({ of: { how = "", provider, access_key_id: key } }: { readonly of: UserSession }) {
  return (
    <>
      {WAYS.get(how) ?? how} {provider !== undefined && <bdi>{provider}</bdi>}
      {key !== undefined && <code>{key}</code>}
    </>
  );
}
