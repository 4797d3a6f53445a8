/** The latest decision about a user that the decision log has. */

import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { Time } from "../../parts/time.tsx";

/** Terms of a list of facts; nothing for people who may not read decisions. */
export function LastUse({ user }: { readonly user: string }) {
  const mayRead = useSession().actions.has("auth:ReadDecisions");
  const query = { subject: user, amount: 1 };
  const { data, error } = useAnswer("GET /decisions", { query }, { enabled: mayRead });
  if (!mayRead || error !== null || data === undefined) return null;
  const [latest] = data.results as readonly { readonly at?: string; readonly time?: string }[];
  const at = latest?.at ?? latest?.time;
  return (
    <>
      <dt>Last used</dt>
      <dd>{at === undefined ? "not since the decision log begins" : <Time at={at} />}</dd>
    </>
  );
}
