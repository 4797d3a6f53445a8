/** The sessions of a user, their end, and the mail for a new password. */

import { useState } from "preact/hooks";
import { useAnswer, useChange } from "../../api/hooks.ts";
import { ConfirmDialog } from "../../parts/dialogs/confirm-dialog.tsx";
import { Section } from "../../parts/section.tsx";
import { SessionList } from "../../parts/session-list.tsx";
import { Alert } from "../../parts/states/alert.tsx";

/** Properties of {@link UserSessions}. */
interface UserSessionsProps {
  readonly user: string;
  readonly may: (action: string) => boolean;
}

/** The section; nothing for who may do none of it. */
export function UserSessions({ user, may }: UserSessionsProps) {
  const capabilities = useAnswer("GET /auth/capabilities", {});
  const mayEnd = may("auth:DeleteCredentials");
  const mayReset = may("auth:CreateCredentials") && capabilities.data?.forgot_password === true;
  const mayList = may("auth:ListCredentials");
  if (!mayList && !mayEnd && !mayReset) return null;
  return (
    <Section title="Sign-in" about="Where somebody else may be signed in as this user.">
      {mayList && <SessionList user={user} mayEnd={mayEnd} />}
      {mayEnd && <EndSessions user={user} />}
      {mayReset && <SendReset user={user} />}
    </Section>
  );
}

function EndSessions({ user }: { readonly user: string }) {
  const [isAsking, setAsking] = useState(false);
  const end = useChange("DELETE /auth/users/{userId}/sessions");
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        End all sessions
      </button>
      {end.isSuccess && <p role="status">All sessions of this user have ended.</p>}
      {isAsking && (
        <ConfirmDialog
          title="End all sessions of this user?"
          name={user}
          act="End"
          isPending={end.isPending}
          error={end.error}
          onClose={() => setAsking(false)}
          onConfirm={() => end.mutate({ path: { userId: user } }, { onSuccess: () => setAsking(false) })}
        >
          <p>
            The user has to sign in again everywhere. Access keys issued for tokens end, too; other keys and
            the password stay.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function SendReset({ user }: { readonly user: string }) {
  const send = useChange("POST /auth/users/{userId}/password/reset");
  return (
    <>
      <button type="button" disabled={send.isPending} onClick={() => send.mutate({ path: { userId: user } })}>
        Send a mail for a new password
      </button>
      {send.isSuccess && <p role="status">The mail is on its way to the user.</p>}
      <Alert error={send.error} />
    </>
  );
}
