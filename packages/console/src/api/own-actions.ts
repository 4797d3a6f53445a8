/** Everything that the person may do on a resource: one page of actions has a thousand at most, and the rest has to be offered, too. */

import { type UseQueryResult, useQuery } from "@tanstack/preact-query";
import { type Answer, call } from "./call.ts";

type Page = Answer<"POST /auth/what-can">;

/** Asks which actions a user may do on a resource; not before the user is known. */
export function useAllActions(
  user: string | undefined,
  resource: string,
): UseQueryResult<Set<string>, Error> {
  return useQuery({
    queryKey: ["POST /auth/what-can", "all", user, resource],
    queryFn: ({ signal }) => allActions(user ?? "", resource, signal),
    enabled: user !== undefined,
  });
}

async function allActions(user: string, resource: string, signal: AbortSignal): Promise<Set<string>> {
  const actions = new Set<string>();
  let page: { readonly limit: number; readonly token?: string } = { limit: 1_000 };
  for (;;) {
    const answer: Page = await call("POST /auth/what-can", { body: { user, resource, page } }, signal);
    for (const action of answer.results) actions.add(action);
    const { next_token: token } = answer.page;
    if (token === "") return actions;
    page = { ...page, token };
  }
}
