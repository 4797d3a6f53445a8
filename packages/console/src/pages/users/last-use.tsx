/** The last use of a user: the latest decision of the service about it. */

import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { LastUsed } from "../../parts/time.tsx";

/** Terms of a list of facts; nothing where use is not counted, or the person may not list users. */
export function LastUse({ user }: { readonly user: string }) {
  const { actions, countsUse } = useSession();
  const isAsked = countsUse && actions.has("auth:ListUsers");
  const query = { prefix: user, amount: 1, last_used: true };
  const { data } = useAnswer("GET /auth/users", { query }, { enabled: isAsked });
  const found = data?.results.find(({ id }) => id === user);
  if (found === undefined) return null;
  const { last_used: at, uses = 0, uses_since: since, creation_date: created } = found;
  return (
    <>
      <dt>Last used</dt>
      <dd>
        <LastUsed at={at} since={since} created={created} />
        {at !== undefined && `, ${uses.toLocaleString("en")} ${uses === 1 ? "decision" : "decisions"} in all`}
      </dd>
    </>
  );
}
