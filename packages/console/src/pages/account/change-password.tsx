/** The change of one's own password. */

import { useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { problemAt } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { Field } from "../../parts/forms/field.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";

/** The section with the form. */
export function ChangePassword({ user }: { readonly user: string }) {
  const client = useQueryClient();
  const [present, setPresent] = useState("");
  const [next, setNext] = useState("");
  const [error, setError] = useState<unknown>();
  const [state, setState] = useState<"asking" | "sending" | "done">("asking");
  const submit = async (): Promise<void> => {
    setState("sending");
    setError(undefined);
    try {
      await call("PUT /user/password", { body: { password: present, new_password: next } });
      setPresent("");
      setNext("");
      setState("done");
      await client.invalidateQueries();
    } catch (failure) {
      setError(failure);
      setState("asking");
    }
  };
  return (
    <Section title="Password" about="Everything else that is signed in as you is signed out with the change.">
      {state === "done" && <p role="status">Your password is changed.</p>}
      <form
        aria-label="Change password"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <input type="text" value={user} autocomplete="username" hidden readOnly />
        <Field
          label="Present password"
          type="password"
          value={present}
          onInput={setPresent}
          autocomplete="current-password"
          problem={problemAt(error, "/password")}
          required
        />
        <Field
          label="New password"
          type="password"
          value={next}
          onInput={setNext}
          autocomplete="new-password"
          problem={problemAt(error, "/new_password")}
          required
        />
        <Alert error={error} shown={["/password", "/new_password"]} />
        <button type="submit" class="primary" disabled={state === "sending"}>
          Change password
        </button>
      </form>
    </Section>
  );
}
