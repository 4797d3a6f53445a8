/** Sign in with an access key. */

import { useState } from "preact/hooks";
import { Field } from "../../parts/forms/field.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { useSignIn } from "./use-sign-in.ts";

/** Properties of {@link AccessKeyForm}. */
interface AccessKeyFormProps {
  /** True where no other way is offered before. */
  readonly isFirst: boolean;
  readonly onSignedIn: () => void;
}

/** The form. */
export function AccessKeyForm({ isFirst, onSignedIn }: AccessKeyFormProps) {
  const [key, setKey] = useState("");
  const [secret, setSecret] = useState("");
  const { error, isPending, submit } = useSignIn({ onSignedIn });
  return (
    <>
      <p class="about">{isFirst ? "With your access key" : "Or with your access key"} for svc-authorizer.</p>
      <form
        aria-label="With an access key"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(key.trim(), secret.trim());
        }}
      >
        <Field
          label="Access key ID"
          value={key}
          onInput={setKey}
          autocomplete="username"
          required
          autoFocus={isFirst}
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
    </>
  );
}
