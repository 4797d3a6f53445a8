/** The policies of a user: those attached to it, and all that are in effect with the way that they come. */

import type { Policy } from "@svc-authorizer/contract/management-api.gen.ts";
import { useQueries } from "@tanstack/preact-query";
import { call } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import { useSession } from "../../frame/session.tsx";
import { groupPage, policyPage } from "../../parts/links.ts";
import { LinkedList } from "../../parts/lists/linked-list.tsx";
import { Name } from "../../parts/name.tsx";
import { Statements } from "../../parts/policies/statements.tsx";

/** Most groups whose policies are asked for, to show the ways. */
const GROUPS = 50;
const MOST = 1000;

/** Properties of {@link UserPolicies}. */
interface UserPoliciesProps {
  readonly user: string;
  /** Whether the person may do an action on the user. */
  readonly may: (action: string) => boolean;
}

/** Lists the policies, attaches and detaches them. */
export function UserPolicies({ user, may }: UserPoliciesProps) {
  const mayCompare = useSession().actions.has("auth:ReadPolicy");
  const ways = useWays(user);
  return (
    <LinkedList
      title="Policies"
      about="All policies in effect, attached to the user or to one of its groups."
      operation="GET /auth/users/{userId}/policies"
      input={{ path: { userId: user }, query: { effective: true } }}
      what="policies"
      columns={[
        { head: "Policy", kind: "main", cell: ({ id }) => <Name text={id} href={policyPage(id)} /> },
        { head: "Via", cell: ({ id }) => <Way ways={ways.of.get(id) ?? []} areAll={ways.areAll} /> },
        { head: "Allows and denies", cell: ({ statement }) => <Statements of={statement} most={3} /> },
      ]}
      empty="No policy applies to this user, so everything is refused."
      link="/auth/users/{userId}/policies/{policyId}"
      pathTo={(policyId) => ({ userId: user, policyId })}
      removal={
        may("auth:DetachPolicy") && {
          label: "Detach",
          isLinked: (policy) => ways.of.get(policy)?.includes("") === true,
          nameOf: (policy) => `${policy} from ${user}`,
          questionOf: (policy) => (
            <>
              Detach policy <bdi>{policy}</bdi> from this user? It may still apply through a group.
            </>
          ),
        }
      }
      addition={
        may("auth:AttachPolicy") && {
          label: "Attach policy",
          act: "Attach",
          names: "GET /auth/policies",
          compare: mayCompare ? (name) => ({ name, attach: { user } }) : undefined,
        }
      }
    />
  );
}

interface Ways {
  /** Names of policies → groups through which they come; the empty name means: attached to the user. */
  readonly of: ReadonlyMap<string, readonly string[]>;
  /** False where some may be missing: a list was not answered, or has more than was asked for. */
  readonly areAll: boolean;
}

function useWays(user: string): Ways {
  const path = { userId: user };
  const direct = useAnswer("GET /auth/users/{userId}/policies", { path, query: { amount: MOST } });
  const groups = useAnswer("GET /auth/users/{userId}/groups", { path, query: { amount: GROUPS } });
  const names = groups.data?.results.map(({ id }) => id) ?? [];
  const held = useQueries({
    queries: names.map((group) => {
      const input = { path: { groupId: group }, query: { amount: MOST } };
      return {
        queryKey: ["GET /auth/groups/{groupId}/policies", input],
        queryFn: () => call("GET /auth/groups/{groupId}/policies", input),
      };
    }),
  });
  const ways = new Map<string, string[]>();
  const add = (way: string, policies: readonly Policy[] = []): void => {
    for (const { id } of policies) ways.set(id, [...(ways.get(id) ?? []), way]);
  };
  add("", direct.data?.results);
  for (const [index, name] of names.entries()) add(name, held[index]?.data?.results);
  const areAll = [direct, groups, ...held].every(({ data }) => data?.pagination.has_more === false);
  return { of: ways, areAll };
}

function Way({ ways, areAll }: { readonly ways: readonly string[]; readonly areAll: boolean }) {
  const more = (
    <span class="quiet-text">{ways.length === 0 ? "not known" : "perhaps in other ways, too"}</span>
  );
  if (ways.length === 0) return areAll ? <span class="quiet-text">through a group</span> : more;
  return (
    <ul class="plain">
      {ways.map((way) => (
        <li key={way}>
          {way === "" ? (
            "attached directly"
          ) : (
            <>
              group <Name text={way} href={groupPage(way)} />
            </>
          )}
        </li>
      ))}
      {!areAll && <li>{more}</li>}
    </ul>
  );
}
