/** Sign in, with an identity provider, a password or an access key. */

import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Answer } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import { isSignedIn, rememberSession, signIn } from "../../frame/session.tsx";
import { Field } from "../../parts/forms/field.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { ForgottenPassword } from "./forgotten-password.tsx";
import { PasswordForm } from "./password-form.tsx";

/** The address to go to after signing in: one of this origin, else the start. */
function nextOf(next: string | undefined): string {
  if (next === undefined || !next.startsWith("/")) return "/";
  const url = new URL(next, location.origin);
  return url.origin === location.origin && url.pathname !== "/login" ? url.pathname + url.search : "/";
}

/** Goes to an address of this origin. The page of programs that sign in is none of the console's. */
function goOn(next: string, route: (address: string, replace?: boolean) => void): void {
  if (next === "/device") location.replace(next);
  else route(next, true);
}

const LAST_WAY = "console.last-way";
/** Stands for passwords among the ways; no issuer has a name with a blank. */
const BY_PASSWORD = "with password";

/** The way that was used last in this browser first, the others as they are configured. */
function ordered<T extends { readonly name: string }>(ways: readonly T[]): readonly T[] {
  const last = localStorage.getItem(LAST_WAY);
  return [...ways.filter(({ name }) => name === last), ...ways.filter(({ name }) => name !== last)];
}

/** Leads back here after the sign-in, which then goes on to where the person wanted to be. */
function addressOf(location: string, next: string): string {
  const back = `/login?${new URLSearchParams({ signed_in: "yes", next })}`;
  return `${location}&${new URLSearchParams({ next: back })}`;
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
  const offered = useAnswer("GET /auth/sign-in", {});
  const capabilities = useAnswer("GET /auth/capabilities", {});
  const ways = ordered(offered.data?.ways ?? []);
  const passwords = offered.data?.passwords ?? [];
  const finish = (way: string | undefined): void => {
    if (way === undefined) localStorage.removeItem(LAST_WAY);
    else localStorage.setItem(LAST_WAY, way);
    client.clear();
    goOn(nextOf(query["next"]), route);
  };
  useEffect(() => {
    document.title = "Sign in · svc-authorizer";
    // A sign-in with an identity provider comes back here. Where it is not true, the first call says so.
    if (query["signed_in"] !== undefined) rememberSession();
    if (isSignedIn()) goOn(nextOf(query["next"]), route);
  }, []);
  const submit = async (): Promise<void> => {
    setPending(true);
    setError(undefined);
    try {
      await signIn(key.trim(), secret.trim());
      finish(undefined);
    } catch (failure) {
      setError(failure);
      setPending(false);
    }
  };
  const withPassword = passwords.length > 0 && (
    <>
      <PasswordForm titles={passwords.map(({ title }) => title)} onSignedIn={() => finish(BY_PASSWORD)} />
      {capabilities.data?.forgot_password === true && <ForgottenPassword />}
    </>
  );
  const isPasswordFirst = localStorage.getItem(LAST_WAY) === BY_PASSWORD;
  return (
    <main class="alone">
      <h1>Sign in</h1>
      {isPasswordFirst && withPassword}
      <Providers ways={ways} next={nextOf(query["next"])} />
      {!isPasswordFirst && withPassword}
      <p class="about">
        {ways.length + passwords.length > 0 ? "Or with your access key" : "With your access key"} for
        svc-authorizer.
      </p>
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
          autoFocus={passwords.length === 0}
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

type Way = Answer<"GET /auth/sign-in">["ways"][number];

/** The identity providers, as links. */
function Providers({ ways, next }: { readonly ways: readonly Way[]; readonly next: string }) {
  return (
    <>
      {ways.map(({ name, title, location }, index) => (
        <p key={name}>
          <a
            class={index === 0 ? "button primary" : "button"}
            href={addressOf(location, next)}
            onClick={(event) => {
              // The router of this application would look for a page of its own at the address.
              event.stopPropagation();
              localStorage.setItem(LAST_WAY, name);
            }}
          >
            Continue with {title}
          </a>
        </p>
      ))}
    </>
  );
}
