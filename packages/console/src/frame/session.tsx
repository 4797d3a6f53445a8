/** The session of the person at the browser: the cookie proves it, and no script can read it. */

import { useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { useAnswer } from "../api/hooks.ts";
import { useAllActions } from "../api/own-actions.ts";
import { Alert } from "../parts/states/alert.tsx";
import { Loading } from "../parts/states/loading.tsx";

/** A person who signed in. */
export interface Session {
  readonly user: string;
  /** Second part of every ARN. */
  readonly partition: string;
  /** Whether the service records decisions. */
  readonly hasDecisionLog: boolean;
  /** Decisions that get a record: `none`, `denied`, `all`, or a share of the allowed ones. */
  readonly recorded: string;
  /** Whether the service counts how users and keys are used. */
  readonly countsUse: boolean;
  /** Regions that may have mirrors; none: there are no mirrors. */
  readonly mirrorRegions: readonly string[];
  /** Actions that the person may do on all resources. */
  readonly actions: ReadonlySet<string>;
}

const KEY = "console.signed-in";
const SessionContext = createContext<Session | undefined>(undefined);

/** Whether this browser signed in and has not signed out; the cookie may have ended all the same. */
export function isSignedIn(): boolean {
  return localStorage.getItem(KEY) !== null;
}

/** Signs in with an access key; the answer sets the cookie. */
export async function signIn(accessKeyId: string, secret: string): Promise<void> {
  const body = { access_key_id: accessKeyId, secret_access_key: secret };
  await call("POST /auth/login", { body });
  rememberSession();
}

/** Remembers that this browser signed in. When the session ends is for the service to say: the clock here may be wrong. */
export function rememberSession(): void {
  localStorage.setItem(KEY, "yes");
}

/** Forgets that this browser signed in. */
export function forgetSession(): void {
  localStorage.removeItem(KEY);
}

/** The session; only within {@link SessionProvider}. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("no session here");
  return session;
}

/** Returns what ends the session of this browser for good, and then goes to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    const next = await call("GET /auth/session", {}).then(
      ({ sign_out_url: url }) => url,
      () => "/login",
    );
    await call("POST /auth/logout", {}).catch((error: ApiError) => {
      if (!error.sessionEnded) throw error;
    });
    forgetSession();
    client.clear();
    location.assign(next);
  };
}

/** Finds out who signed in, and shows the rest when it knows. */
export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const user = useAnswer("GET /user", {});
  const name = user.data?.user.id;
  // Asked after the user: one refused call is enough to find out that the session has ended.
  const config = useAnswer("GET /config", {}, { enabled: name !== undefined });
  const actions = useAllActions(name, "*");
  const error = user.error ?? config.error ?? actions.error;
  if (name === undefined || config.data === undefined || actions.data === undefined) {
    return error === null ? <Loading what="your session" /> : <Alert error={error} />;
  }
  const { partition, decision_log: hasDecisionLog, counts_use: countsUse } = config.data;
  const { decision_log_include: recorded, mirror_regions: mirrorRegions } = config.data;
  const session = {
    user: name,
    partition,
    hasDecisionLog,
    recorded,
    countsUse,
    mirrorRegions,
    actions: actions.data,
  };
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}
