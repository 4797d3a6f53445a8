/** Policies of users and groups in the management API (permissions.md §12). */

import type { Page, PageRequest } from "../../directory/directory.ts";
import type { Parameter } from "../../http/openapi-types.ts";
import type { Reply } from "../../http/route.ts";
import type { Policy, Via } from "../../model/policy.ts";
import { PAGING } from "../rest/declared.ts";
import { BASE_PATH, created, param, removed } from "../rest/operation.ts";
import { listReply, pageOfSorted } from "../rest/pages.ts";
import { isEffective } from "../rest/query-fields.ts";
import type { UserCall } from "./call.ts";
import {
  answerWithPage,
  JOIN,
  LIST,
  type ManagementParts,
  REMOVE,
  type UserDeclaration,
} from "./declaration.ts";
import type { Holdings } from "./holdings.ts";
import { EXAMPLE_POLICY } from "./policies.ts";
import { policyBody } from "./shapes.ts";

const OF_USER = `${BASE_PATH}/auth/users/{userId}/policies`;
const OF_GROUP = `${BASE_PATH}/auth/groups/{groupId}/policies`;
const USERS = { tag: "users" } as const;
const GROUPS = { tag: "groups" } as const;

const EFFECTIVE: Parameter = {
  name: "effective",
  in: "query",
  description: "Also the policies of the user's groups, distinct by name.",
  schema: { type: "boolean", default: false },
};

type Attach = (holder: string, policy: string, judged: Policy | undefined) => Promise<void>;
type Detach = (holder: string, policy: string) => Promise<void>;

/** The operations. */
export const ATTACHMENT_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...LIST,
    ...USERS,
    id: "listUserPolicies",
    path: OF_USER,
    summary: "List the policies of a user",
    description:
      "The policies attached to the user, or with `effective` all that apply to it, as they are stored.",
    query: [...PAGING, EFFECTIVE],
    answer: answerWithPage("PolicyList", EXAMPLE_POLICY),
    errors: [400, 404],
    handler:
      ({ directory: { users }, holdings }) =>
      (call) =>
        listReply(
          call,
          (page) =>
            isEffective(call)
              ? effectivePage(holdings, param(call, 0), page)
              : users.policies(param(call, 0), page),
          policyBody,
        ),
  },
  {
    ...JOIN,
    ...USERS,
    id: "attachPolicyToUser",
    path: `${OF_USER}/{policyId}`,
    summary: "Attach a policy to a user",
    description: "The policy applies to the user's requests at once.",
    handler: (parts) => (call) => attach(call, parts, "user", parts.directory.users.attachPolicy),
  },
  {
    ...REMOVE,
    ...USERS,
    id: "detachPolicyFromUser",
    path: `${OF_USER}/{policyId}`,
    summary: "Detach a policy from a user",
    description: "The policy may still apply to the user through a group.",
    errors: [403, 404],
    handler: (parts) => (call) => detach(call, parts, "user", parts.directory.users.detachPolicy),
  },
  {
    ...LIST,
    ...GROUPS,
    id: "listGroupPolicies",
    path: OF_GROUP,
    summary: "List the policies of a group",
    description: "The policies attached to the group.",
    answer: answerWithPage("PolicyList", EXAMPLE_POLICY),
    errors: [400, 404],
    handler:
      ({ directory: { groups } }) =>
      (call) =>
        listReply(call, (page) => groups.policies(param(call, 0), page), policyBody),
  },
  {
    ...JOIN,
    ...GROUPS,
    id: "attachPolicyToGroup",
    path: `${OF_GROUP}/{policyId}`,
    summary: "Attach a policy to a group",
    description: "The policy applies to the requests of all members at once.",
    handler: (parts) => (call) => attach(call, parts, "group", parts.directory.groups.attachPolicy),
  },
  {
    ...REMOVE,
    ...GROUPS,
    id: "detachPolicyFromGroup",
    path: `${OF_GROUP}/{policyId}`,
    summary: "Detach a policy from a group",
    description: "The policy no longer applies to members who do not hold it in another way.",
    errors: [403, 404],
    handler: (parts) => (call) => detach(call, parts, "group", parts.directory.groups.detachPolicy),
  },
];

async function attach(
  call: UserCall,
  { directory, audit, escalation }: ManagementParts,
  kind: "user" | "group",
  work: Attach,
): Promise<Reply> {
  const [holder, policy] = [param(call, 0), param(call, 1)];
  let judged: Policy | undefined;
  const warnings = await escalation.checkGrant(call, {
    what: `attaching policy ${JSON.stringify(policy)} to ${kind} ${JSON.stringify(holder)}`,
    policies: async () => {
      judged = await directory.policies.get(policy);
      return [judged];
    },
  });
  // The policy may have been replaced while it was compared.
  await work(holder, policy, judged);
  audit.wrote(call, kind === "user" ? "attachPolicyToUser" : "attachPolicyToGroup", {
    [kind]: holder,
    policy,
  });
  return created(warnings);
}

async function detach(
  call: UserCall,
  { audit, escalation }: ManagementParts,
  kind: "user" | "group",
  work: Detach,
): Promise<Reply> {
  const [holder, policy] = [param(call, 0), param(call, 1)];
  const warnings = await escalation.remove(
    call,
    {
      what: `detaching policy ${JSON.stringify(policy)} from ${kind} ${JSON.stringify(holder)}`,
      takes: (name, via) => name === policy && holderOf(via, kind) === holder,
    },
    () => work(holder, policy),
  );
  audit.wrote(call, kind === "user" ? "detachPolicyFromUser" : "detachPolicyFromGroup", {
    [kind]: holder,
    policy,
  });
  return removed(warnings);
}

/** People see policies as they are stored, not in the form that data servers get (security.md §3.3). */
async function effectivePage(
  holdings: Holdings,
  username: string,
  page: Required<PageRequest>,
): Promise<Page<Policy>> {
  return pageOfSorted(await holdings.ofUser(username), page);
}

/** The user or group that a policy is attached to; undefined where it is attached to the other kind. */
function holderOf(via: Via, kind: "user" | "group"): string | undefined {
  if ("user" in via) return kind === "user" ? via.user : undefined;
  return kind === "group" ? via.group : undefined;
}
