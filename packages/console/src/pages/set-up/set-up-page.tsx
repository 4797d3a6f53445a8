/** Set-up of the first administrator, with the one-time token that the start of the service wrote. */

import type { CredentialsWithSecret } from "@svc-authorizer/contract/management-api.gen.ts";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { problemAt } from "../../api/api-error.ts";
import { useAnswer, useChange } from "../../api/hooks.ts";
import { forgetSession } from "../../frame/session.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { SecretOnce } from "../../parts/secret-once.tsx";
import { Alert } from "../../parts/states/alert.tsx";

/** The set-up page; after the set-up it shows the key, then it leads to the sign-in page. */
export default function SetUpPage() {
  const { route } = useLocation();
  const [made, setMade] = useState<CredentialsWithSecret>();
  const { data } = useAnswer("GET /setup", {});
  useEffect(() => {
    document.title = "Set up · svc-authorizer";
  }, []);
  useEffect(() => {
    // A session of an earlier store of this address.
    if (data?.state === "not_initialized") forgetSession();
    if (data?.state === "initialized" && made === undefined) route("/login", true);
  }, [data, made]);
  return (
    <main class="alone">
      <h1>Set up</h1>
      {made === undefined ? (
        <SetUpForm onMade={setMade} />
      ) : (
        <>
          <SecretOnce made={made} />
          <p>
            <a class="button primary" href="/login">
              Continue to Sign in
            </a>
          </p>
        </>
      )}
    </main>
  );
}

function SetUpForm({ onMade }: { readonly onMade: (made: CredentialsWithSecret) => void }) {
  const [username, setUsername] = useState("admin");
  const [token, setToken] = useState("");
  const setup = useChange("POST /setup");
  const submit = (): void => {
    const body = { username, setup_token: token.trim() };
    setup.mutate({ body }, { onSuccess: ({ answer }) => onMade(answer) });
  };
  const refused = setup.error?.message === "error authenticating request";
  return (
    <>
      <p class="about">
        Create the first administrator. The service keeps a setup token in the file{" "}
        <code>svc-authorizer-setup-token</code> beside its data; <code>svc-authorizer set-up token</code>{" "}
        prints it.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label="User name"
          value={username}
          onInput={setUsername}
          required
          problem={problemAt(setup.error, "/username")}
        />
        <Field
          label="Setup token"
          value={token}
          onInput={setToken}
          required
          autoFocus
          problem={refused ? "This is not the setup token of the running service." : undefined}
        />
        {refused ? (
          <p role="alert" class="alert">
            The setup token was refused. Each start of the service makes a new one.
          </p>
        ) : (
          <Alert error={setup.error} shown={["/username"]} />
        )}
        <button type="submit" class="primary" disabled={setup.isPending}>
          Set up
        </button>
      </form>
    </>
  );
}
