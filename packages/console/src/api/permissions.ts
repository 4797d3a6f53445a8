/** Permissions of the person who signed in: what is not permitted is not offered. The API decides again on each call. */

import { useSession } from "../frame/session.tsx";
import { useAnswer } from "./hooks.ts";
import { useAllActions } from "./own-actions.ts";

/** Kinds of things that have a page of their own. */
type Kind = "user" | "group" | "policy" | "repository";

/** Returns the ARN of a user, group, policy or repository. */
function useArn(kind: Kind, name: string): string {
  return `arn:${useSession().partition}:${kind === "repository" ? "fs" : "auth"}:::${kind}/${name}`;
}

/** Actions that the person may do on one thing; undefined while that is not known. */
export function useActionsOn(kind: Kind, name: string): ReadonlySet<string> | undefined {
  const { user } = useSession();
  return useAllActions(user, useArn(kind, name)).data;
}

/** Whether some statement lets the person do an action on any resource at all; undefined while that is not known. */
export function useMayAnywhere(action: string): boolean | undefined {
  const { user, actions } = useSession();
  const body = { user, required: { any_resource: { action } } };
  const { data } = useAnswer("POST /auth/check", { body }, { enabled: !actions.has(action) });
  return actions.has(action) || data?.allowed;
}

/** {@link useMayAnywhere}; false while that is not known. */
export function useMaySomewhere(action: string): boolean {
  return useMayAnywhere(action) === true;
}
