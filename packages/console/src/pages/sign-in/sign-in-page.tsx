/** Sign in, with an identity provider, a password or an access key. */

import { useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Answer } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import { isSignedIn, rememberSession } from "../../frame/session.tsx";
import { AccessKeyForm } from "./access-key-form.tsx";
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
/** Passwords and access keys among the ways, as the API names them. */
const PASSWORD = "password";
const ACCESS_KEY = "access_key";

/** The way that was used last in this browser first, the others as they are configured. */
function ordered(ways: readonly string[]): readonly string[] {
  const last = localStorage.getItem(LAST_WAY);
  return [...ways.filter((way) => way === last), ...ways.filter((way) => way !== last)];
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
  const setup = useAnswer("GET /setup", {});
  const offered = useAnswer("GET /auth/sign-in", {});
  const capabilities = useAnswer("GET /auth/capabilities", {});
  const ways = offered.data?.ways ?? [];
  const passwords = offered.data?.passwords ?? [];
  const order = ordered(offered.data?.order ?? [ACCESS_KEY]);
  const finish = (way: string): void => {
    localStorage.setItem(LAST_WAY, way);
    client.clear();
    goOn(nextOf(query["next"]), route);
  };
  useEffect(() => {
    document.title = "Sign in · svc-authorizer";
    // A sign-in with an identity provider comes back here. Where it is not true, the first call says so.
    if (query["signed_in"] !== undefined) rememberSession();
    if (isSignedIn()) goOn(nextOf(query["next"]), route);
  }, []);
  // A map, since an issuer may have the name of a member that every object has.
  const forms = new Map<string, () => ComponentChildren>([
    [
      PASSWORD,
      () => (
        <>
          <PasswordForm titles={passwords.map(({ title }) => title)} onSignedIn={() => finish(PASSWORD)} />
          {capabilities.data?.forgot_password === true && <ForgottenPassword />}
        </>
      ),
    ],
    [
      ACCESS_KEY,
      () => <AccessKeyForm isFirst={order[0] === ACCESS_KEY} onSignedIn={() => finish(ACCESS_KEY)} />,
    ],
  ]);
  return (
    <main class="alone">
      <h1>Sign in</h1>
      {order.map((name, index) => (
        <div key={name}>
          {forms.get(name)?.() ?? (
            <Provider
              way={ways.find((way) => way.name === name)}
              isFirst={index === 0}
              next={nextOf(query["next"])}
            />
          )}
        </div>
      ))}
      {setup.data?.state === "not_initialized" && (
        <p>
          There is no administrator yet: <a href="/setup">set up the first one</a>.
        </p>
      )}
    </main>
  );
}

type Way = Answer<"GET /auth/sign-in">["ways"][number];

/** Properties of {@link Provider}. */
interface ProviderProps {
  readonly way: Way | undefined;
  readonly isFirst: boolean;
  readonly next: string;
}

/** An identity provider, as a link. */
function Provider({ way, isFirst, next }: ProviderProps) {
  if (way === undefined) return null;
  return (
    <p>
      <a
        class={isFirst ? "button primary" : "button"}
        href={addressOf(way.location, next)}
        onClick={(event) => {
          // The router of this application would look for a page of its own at the address.
          event.stopPropagation();
          localStorage.setItem(LAST_WAY, way.name);
        }}
      >
        Continue with {way.title}
      </a>
    </p>
  );
}
