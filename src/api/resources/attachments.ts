/** Policies of users and groups (spec/authorization-api §7, operations 25 to 30; spec/permissions §12). */

import type { Policy, Via } from "@svc-authorizer/policy/model/policy.ts";
import type { PageRequest } from "../../directory/directory.ts";
import type { Parameter } from "../../http/openapi/openapi-types.ts";
import type { Reply } from "../../http/route.ts";
import type { DataServerParts } from "../data-server/declaration.ts";
import { EffectivePages } from "../data-server/effective-pages.ts";
import { PAGING } from "../rest/declared.ts";
import { page } from "../rest/examples.ts";
import type { Grant, RestCall } from "../rest/grants.ts";
import { created, param, removed } from "../rest/operation.ts";
import { JOIN, LIST, REMOVE } from "../rest/operation-kinds.ts";
import { FEW_TOGETHER, listReply, pageOfSorted } from "../rest/pages.ts";
import type { RestParts } from "../rest/parts.ts";
import { isEffective } from "../rest/query-fields.ts";
import type { ResourceOperation, RestHandler } from "./operation.ts";

const OF_USER = "/auth/users/{userId}/policies";
const OF_GROUP = "/auth/groups/{groupId}/policies";
const USERS = { tag: "users" } as const;
const GROUPS = { tag: "groups" } as const;

type Holder = "user" | "group";

function effective(description: string): readonly Parameter[] {
  return [
    ...PAGING,
    { name: "effective", in: "query", description, schema: { type: "boolean", default: false } },
  ];
}

/** The operations. */
export const ATTACHMENT_OPERATIONS: readonly ResourceOperation[] = [
  {
    ...LIST,
    ...USERS,
    id: "listUserPolicies",
    path: OF_USER,
    summary: "List the policies of a user",
    description: "The policies attached to the user, or with `effective` all that apply to it.",
    answer: page("PolicyList", "Policy"),
    dataServer: {
      query: effective(
        "Policies of the user and of all its groups, distinct by name; by default in a form that a data server can evaluate.",
      ),
      priority: "hot",
    },
    management: {
      description:
        "The policies attached to the user, or with `effective` all that apply to it, as they are stored.",
      query: effective("Also the policies of the user's groups, distinct by name."),
    },
    handler: { dataServer: policiesForDataServers, management: policiesForPeople },
  },
  {
    ...JOIN,
    ...USERS,
    id: "attachPolicyToUser",
    path: `${OF_USER}/{policyId}`,
    summary: "Attach a policy to a user",
    description: "The policy applies to the user's requests at once.",
    compared: true,
    handler: attach("user", ({ directory }) => directory.users.attachPolicy),
  },
  {
    ...REMOVE,
    ...USERS,
    id: "detachPolicyFromUser",
    path: `${OF_USER}/{policyId}`,
    summary: "Detach a policy from a user",
    description: "The policy may still apply to the user through a group.",
    compared: true,
    handler: detach("user", ({ directory }) => directory.users.detachPolicy),
  },
  {
    ...LIST,
    ...GROUPS,
    id: "listGroupPolicies",
    path: OF_GROUP,
    summary: "List the policies of a group",
    description: "The policies attached to the group.",
    answer: page("PolicyList", "Policy"),
    handler:
      ({ directory: { groups }, shapes }) =>
      (call) =>
        listReply(call, (asked) => groups.policies(param(call, 0), asked), shapes.policy, FEW_TOGETHER),
  },
  {
    ...JOIN,
    ...GROUPS,
    id: "attachPolicyToGroup",
    path: `${OF_GROUP}/{policyId}`,
    summary: "Attach a policy to a group",
    description: "The policy applies to the requests of all members at once.",
    compared: true,
    handler: attach("group", ({ writes }) => writes.attachPolicyToGroup),
  },
  {
    ...REMOVE,
    ...GROUPS,
    id: "detachPolicyFromGroup",
    path: `${OF_GROUP}/{policyId}`,
    summary: "Detach a policy from a group",
    description: "The policy no longer applies to members who do not hold it in another way.",
    compared: true,
    handler: detach("group", ({ directory }) => directory.groups.detachPolicy),
  },
];

function policiesForDataServers({ directory: { users }, decisions, shapes }: DataServerParts) {
  const pages = new EffectivePages(decisions);
  return (call: RestCall): Reply | Promise<Reply> =>
    isEffective(call)
      ? pages.reply(param(call, 0), call.query)
      : listReply(call, (asked) => users.policies(param(call, 0), asked), shapes.policy, FEW_TOGETHER);
}

/** People see policies as they are stored, not in the form that data servers get (spec/security §3.3). */
function policiesForPeople({ directory: { users }, holdings, shapes }: RestParts) {
  return (call: RestCall): Promise<Reply> => {
    const user = param(call, 0);
    let held: ReturnType<typeof holdings.ofUser> | undefined;
    const effective = async (asked: Required<PageRequest>) => {
      held ??= holdings.ofUser(user);
      return pageOfSorted<Policy>(await held, asked);
    };
    const list = isEffective(call)
      ? effective
      : (asked: Required<PageRequest>) => users.policies(user, asked);
    return listReply(call, list, shapes.policy, FEW_TOGETHER);
  };
}

function attach(
  kind: Holder,
  workOf: (parts: RestParts) => (holder: string, policy: string) => Promise<void>,
): RestHandler {
  return (parts) => async (call) => {
    const [holder, policy] = [param(call, 0), param(call, 1)];
    const grant: Grant = {
      what: `attaching policy ${JSON.stringify(policy)} to ${kind} ${JSON.stringify(holder)}`,
      policies: async (state) => [await state.policy(policy)],
    };
    const { warnings } = await parts.escalation.checkGrant(call, grant, () => workOf(parts)(holder, policy));
    const operation = kind === "user" ? "attachPolicyToUser" : "attachPolicyToGroup";
    parts.audit.wrote(call, operation, { [kind]: holder, policy });
    return created(warnings);
  };
}

function detach(
  kind: Holder,
  workOf: (parts: RestParts) => (holder: string, policy: string) => Promise<void>,
): RestHandler {
  return (parts) => async (call) => {
    const [holder, policy] = [param(call, 0), param(call, 1)];
    const { warnings } = await parts.escalation.checkRemoval(
      call,
      {
        what: `detaching policy ${JSON.stringify(policy)} from ${kind} ${JSON.stringify(holder)}`,
        takes: (name, via) => name === policy && holderOf(via, kind) === holder,
      },
      () => workOf(parts)(holder, policy),
    );
    const operation = kind === "user" ? "detachPolicyFromUser" : "detachPolicyFromGroup";
    parts.audit.wrote(call, operation, { [kind]: holder, policy });
    return removed(warnings);
  };
}

/** The user or group that a policy is attached to; undefined where it is attached to the other kind. */
function holderOf(via: Via, kind: Holder): string | undefined {
  if ("user" in via) return kind === "user" ? via.user : undefined;
  return kind === "group" ? via.group : undefined;
}
