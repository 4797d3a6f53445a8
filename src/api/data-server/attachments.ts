/** Policies of users and groups (authorization-api.md §7, operations 25 to 30). */

import type { Parameter } from "../../http/openapi-types.ts";
import type { Reply } from "../../http/route.ts";
import { PAGING } from "../rest/declared.ts";
import { BASE_PATH, created, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { isEffective } from "../rest/query-fields.ts";
import type { ServiceCall } from "../service-caller.ts";
import {
  answerWithPage,
  type DataServerDeclaration,
  type DataServerParts,
  JOIN,
  LIST,
  REMOVE,
} from "./declaration.ts";
import { EffectivePages } from "./effective-pages.ts";
import { EXAMPLE_POLICY } from "./policies.ts";
import { policyBody } from "./shapes.ts";

const OF_USER = `${BASE_PATH}/auth/users/{userId}/policies`;
const OF_GROUP = `${BASE_PATH}/auth/groups/{groupId}/policies`;

const EFFECTIVE: Parameter = {
  name: "effective",
  in: "query",
  description:
    "Policies of the user and of all its groups, distinct by name; by default in a form that a data server can evaluate.",
  schema: { type: "boolean", default: false },
};

/** The operations. */
export const ATTACHMENT_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...LIST,
    tag: "users",
    id: "listUserPolicies",
    path: OF_USER,
    summary: "List the policies of a user",
    description: "The policies attached to the user, or with `effective` all that apply to it.",
    query: [...PAGING, EFFECTIVE],
    priority: "hot",
    answer: answerWithPage("PolicyList", EXAMPLE_POLICY),
    handler: listOfUser,
  },
  {
    ...JOIN,
    tag: "users",
    id: "attachPolicyToUser",
    path: `${OF_USER}/{policyId}`,
    summary: "Attach a policy to a user",
    description: "The policy applies to the user's requests at once.",
    handler: ({ directory: { users }, audit }) =>
      change("attachPolicyToUser", "user", users.attachPolicy, created(), audit),
  },
  {
    ...REMOVE,
    tag: "users",
    id: "detachPolicyFromUser",
    path: `${OF_USER}/{policyId}`,
    summary: "Detach a policy from a user",
    description: "The policy may still apply to the user through a group.",
    handler: ({ directory: { users }, audit }) =>
      change("detachPolicyFromUser", "user", users.detachPolicy, NO_CONTENT, audit),
  },
  {
    ...LIST,
    tag: "groups",
    id: "listGroupPolicies",
    path: OF_GROUP,
    summary: "List the policies of a group",
    description: "The policies attached to the group.",
    answer: answerWithPage("PolicyList", EXAMPLE_POLICY),
    handler:
      ({ directory: { groups } }) =>
      (call) =>
        listReply(call, (page) => groups.policies(param(call, 0), page), policyBody),
  },
  {
    ...JOIN,
    tag: "groups",
    id: "attachPolicyToGroup",
    path: `${OF_GROUP}/{policyId}`,
    summary: "Attach a policy to a group",
    description: "The policy applies to the requests of all members at once.",
    handler: ({ setup, audit }) =>
      change(
        "attachPolicyToGroup",
        "group",
        (group, policy) => setup.attachPolicyToGroup(group, policy),
        created(),
        audit,
      ),
  },
  {
    ...REMOVE,
    tag: "groups",
    id: "detachPolicyFromGroup",
    path: `${OF_GROUP}/{policyId}`,
    summary: "Detach a policy from a group",
    description: "The policy no longer applies to members who do not hold it in another way.",
    handler: ({ directory: { groups }, audit }) =>
      change("detachPolicyFromGroup", "group", groups.detachPolicy, NO_CONTENT, audit),
  },
];

function listOfUser({ directory: { users }, decisions }: DataServerParts) {
  const pages = new EffectivePages(decisions);
  return (call: ServiceCall): Reply | Promise<Reply> =>
    isEffective(call)
      ? pages.reply(param(call, 0), call.query)
      : listReply(call, (page) => users.policies(param(call, 0), page), policyBody);
}

function change(
  operation: string,
  holder: "user" | "group",
  work: (holder: string, policy: string) => Promise<void>,
  reply: Reply,
  audit: DataServerParts["audit"],
) {
  return async (call: ServiceCall): Promise<Reply> => {
    const [name, policy] = [param(call, 0), param(call, 1)];
    await work(name, policy);
    audit.wrote(call, operation, { [holder]: name, policy });
    return reply;
  };
}
