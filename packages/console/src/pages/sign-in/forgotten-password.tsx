/** Ask for a mail with which one sets a new password. */

import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { Field } from "../../parts/forms/field.tsx";
import { Alert } from "../../parts/states/alert.tsx";

/** The form, folded until somebody needs it. */
export function ForgottenPassword() {
  const [email, setEmail] = useState("");
  const [error, setError] = useState<unknown>();
  const [state, setState] = useState<"asking" | "sending" | "sent">("asking");
  const submit = async (): Promise<void> => {
    setState("sending");
    setError(undefined);
    try {
      await call("POST /auth/password/forgot", { body: { email: email.trim() } });
      setState("sent");
    } catch (failure) {
      setError(failure);
      setState("asking");
    }
  };
  return (
    <details>
      <summary>Forgot your password?</summary>
      {state === "sent" ? (
        <p role="status">
          If a user here has this address, a mail is on its way with a link that works for an hour. If none
          comes, ask an administrator: your account may have another address, or its password may be kept by
          an identity provider.
        </p>
      ) : (
        <form
          aria-label="New password"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Field
            label="E-mail address"
            type="email"
            value={email}
            onInput={setEmail}
            autocomplete="email"
            required
          />
          <Alert error={error} />
          <button type="submit" disabled={state === "sending"}>
            Send me a mail
          </button>
        </form>
      )}
    </details>
  );
}
