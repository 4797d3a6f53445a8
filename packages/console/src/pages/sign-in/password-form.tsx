/** Sign in with a user name and a password. */

import { useState } from "preact/hooks";
import { ApiError } from "../../api/api-error.ts";
import { TOO_MANY_ATTEMPTS, WRONG_PASSWORD } from "../../api/sentences.ts";
import { Field } from "../../parts/forms/field.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { useSignIn } from "./use-sign-in.ts";

/** Properties of {@link PasswordForm}. */
interface PasswordFormProps {
  /** Titles of the ways that take a password. */
  readonly titles: readonly string[];
  readonly onSignedIn: () => void;
}

/** The form. The password is sent as it was typed. */
export function PasswordForm({ titles, onSignedIn }: PasswordFormProps) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { error, isPending, submit } = useSignIn({ onSignedIn, onFailed: () => setPassword("") });
  return (
    <form
      aria-label="With a password"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(name.trim(), password);
      }}
    >
      <p class="about">{about(titles)}</p>
      <Field label="User name" value={name} onInput={setName} autocomplete="username" required />
      <Field
        label="Password"
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        required
      />
      <Alert error={inWords(error)} />
      <button type="submit" class="primary" disabled={isPending}>
        Sign in with password
      </button>
    </form>
  );
}

function about(titles: readonly string[]): string {
  const elsewhere = titles.filter((title) => title !== "Password");
  if (elsewhere.length === 0) return "With your password.";
  const accounts = `With your account at ${elsewhere.join(" or ")}`;
  return elsewhere.length === titles.length ? `${accounts}.` : `${accounts}, or with your password here.`;
}

/** The sentence about access keys as one about passwords; all else is a sentence already. */
function inWords(failure: unknown): unknown {
  if (!(failure instanceof ApiError)) return failure;
  if (failure.status === 429) return new ApiError(429, TOO_MANY_ATTEMPTS);
  const isAboutKeys = failure.status === 401 && failure.message.includes("access key");
  return isAboutKeys && !failure.message.includes("administrator of this service")
    ? new ApiError(401, WRONG_PASSWORD)
    : failure;
}
