/** The access keys of a user. */

import type { Credentials } from "@svc-authorizer/contract/management-api.gen.ts";
import { useState } from "preact/hooks";
import { useChange } from "../api/hooks.ts";
import { useSession } from "../frame/session.tsx";
import { ConfirmDialog } from "./dialogs/confirm-dialog.tsx";
import { ListTable } from "./lists/list-table.tsx";
import type { Column } from "./lists/table.tsx";
import { SecretOnce } from "./secret-once.tsx";
import { Alert } from "./states/alert.tsx";
import { Warnings } from "./states/warnings.tsx";
import { LastUsed, Time } from "./time.tsx";

/** Age of a key above which it should be replaced, in seconds. */
const OLD = 365 * 86_400;
/** Time before the expiry of a key in which somebody should replace it, in seconds. */
const SOON = 7 * 86_400;
/** Terms of a new key in seconds; 0: it does not expire. */
const TERMS = [
  ["never", 0],
  ["in a day", 86_400],
  ["in 30 days", 30 * 86_400],
  ["in 90 days", 90 * 86_400],
  ["in a year", 365 * 86_400],
] as const;

/** Properties of {@link AccessKeys}. */
interface AccessKeysProps {
  readonly user: string;
  /** Whether the person may do an action on the user. */
  readonly may: (action: string) => boolean;
}

/** Lists the keys, creates and deletes them; a new secret is shown once. */
export function AccessKeys({ user, may }: AccessKeysProps) {
  const { countsUse } = useSession();
  const creation = useChange("POST /auth/users/{userId}/credentials");
  const [term, setTerm] = useState(0);
  const mayDelete = may("auth:DeleteCredentials");
  const columns: readonly Column<Credentials>[] = [
    { head: "Access key ID", kind: "main", cell: ({ access_key_id: key }) => <code>{key}</code> },
    { head: "Created", cell: ({ creation_date: at }) => <KeyAge at={at} /> },
    { head: "Expires", cell: ({ expires_at: at }) => <KeyTerm at={at} /> },
    ...(countsUse
      ? [
          {
            head: "Last used",
            cell: ({ last_used: at, uses_since: since, creation_date: created }: Credentials) => (
              <LastUsed at={at} since={since} created={created} />
            ),
          },
        ]
      : []),
    ...(mayDelete
      ? [
          {
            head: "Delete",
            kind: "act",
            cell: ({ access_key_id: key }: Credentials) => <DeleteKey user={user} accessKey={key} />,
          } as const,
        ]
      : []),
  ];
  return (
    <>
      <ListTable
        operation="GET /auth/users/{userId}/credentials"
        input={{ path: { userId: user }, query: countsUse ? { last_used: true } : {} }}
        what="access keys"
        name="keys"
        columns={columns}
        keyOf={(key) => key.access_key_id}
        empty="There is no access key."
      />
      {creation.data !== undefined && <SecretOnce made={creation.data.answer} />}
      <Warnings texts={creation.data?.warnings ?? []} />
      <Alert error={creation.error} />
      {may("auth:CreateCredentials") && (
        <p>
          <button
            type="button"
            disabled={creation.isPending}
            onClick={({ detail }) => {
              // The second click of a double click would make a key whose secret takes the place of the first one's.
              if (detail > 1) return;
              creation.mutate({ path: { userId: user }, query: term === 0 ? {} : { expires_in: term } });
            }}
          >
            Create access key
          </button>{" "}
          <label>
            that expires{" "}
            <select value={term} onChange={({ currentTarget }) => setTerm(Number(currentTarget.value))}>
              {TERMS.map(([name, seconds]) => (
                <option key={name} value={seconds}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </p>
      )}
    </>
  );
}

function KeyTerm({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return <span class="quiet-text">never</span>;
  const isSoon = at - Date.now() / 1000 < SOON;
  return (
    <>
      <Time at={at} /> {isSoon && <span class="tag warn">expires soon</span>}
    </>
  );
}

function KeyAge({ at }: { readonly at: number }) {
  const isOld = Date.now() / 1000 - at > OLD;
  return (
    <>
      <Time at={at} /> {isOld && <span class="tag warn">over a year old</span>}
    </>
  );
}

function DeleteKey({ user, accessKey }: { readonly user: string; readonly accessKey: string }) {
  const [isAsking, setAsking] = useState(false);
  const removal = useChange("DELETE /auth/users/{userId}/credentials/{accessKeyId}");
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label={`Delete access key ${accessKey}`}
        onClick={() => setAsking(true)}
      >
        Delete
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Delete this access key?"
          name={accessKey}
          act="Delete"
          isPending={removal.isPending}
          error={removal.error}
          onClose={() => setAsking(false)}
          onConfirm={() =>
            removal.mutate(
              { path: { userId: user, accessKeyId: accessKey } },
              { onSuccess: () => setAsking(false) },
            )
          }
        >
          <p>
            Programs that use this key are refused at once. All sessions of <bdi>{user}</bdi> end, those of
            other keys too.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
