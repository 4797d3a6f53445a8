/** Sign in, with an access key. */

import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useAnswer } from "../../api/hooks.ts";
import { isSignedIn, signIn } from "../../frame/session.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { Alert } from "../../parts/states/alert.tsx";

/** The address to go to after signing in: one of this origin, else the start. */
function nextOf(next: string | undefined): string {
  if (next === undefined || !next.startsWith("/")) return "/";
  const url = new URL(next, location.origin);
  return url.origin === location.origin && url.pathname !== "/login" ? url.pathname + url.search : "/";
}

/** The sign-in page. It names the set-up where there is no administrator, and never leads away to it. */
export default function SignInPage() {
  const { query, route } = useLocation();
  const client = useQueryClient();
  const [key, setKey] = useState("");
  const [secret, setSecret] = useState("");
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const setup = useAnswer("GET /setup", {});
  useEffect(() => {
    document.title = "Sign in · svc-authorizer";
    if (isSignedIn()) route(nextOf(query["next"]), true);
  }, []);
  const submit = async (): Promise<void> => {
    setPending(true);
    setError(undefined);
    try {
      await signIn(key.trim(), secret.trim());
      client.clear();
      route(nextOf(query["next"]), true);
    } catch (failure) {
      setError(failure);
      setPending(false);
    }
  };
  return (
    <main class="alone">
      <h1>Sign in</h1>
      <p class="about">With your access key for svc-authorizer.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label="Access key ID"
          value={key}
          onInput={setKey}
          autocomplete="username"
          required
          autoFocus
        />
        <Field
          label="Secret access key"
          type="password"
          value={secret}
          onInput={setSecret}
          autocomplete="current-password"
          required
        />
        <Alert error={error} />
        <button type="submit" class="primary" disabled={isPending}>
          Sign in
        </button>
      </form>
      {setup.data?.state === "not_initialized" && (
        <p>
          There is no administrator yet: <a href="/setup">set up the first one</a>.
        </p>
      )}
    </main>
  );
}
