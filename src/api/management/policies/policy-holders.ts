/** The users and groups that a policy is attached to (spec/console §4.5). */

import type { Page, PageRequest } from "../../../directory/directory.ts";
import type { Reply } from "../../../http/route.ts";
import { PAGING } from "../../rest/declared.ts";
import { MANAGEMENT_EXAMPLES } from "../../rest/examples.ts";
import { BASE_PATH, param } from "../../rest/operation.ts";
import { answerWithPage } from "../../rest/operation-kinds.ts";
import { listReply } from "../../rest/pages.ts";
import { groupBody } from "../../rest/shapes.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { requirePermission } from "../permissions/permissions.ts";

const OF_POLICY = {
  access: "permitted",
  method: "GET",
  priority: "bulk",
  row: "getPolicy",
  tag: "policies",
  missing: "policy not found",
  query: PAGING,
  errors: [400, 404],
} as const;
const PAGES =
  "A page may have fewer items than `amount`, also none, and another after it: all names are looked through, for a second at most.";

/** The operations. */
export const POLICY_HOLDER_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...OF_POLICY,
    id: "listPolicyUsers",
    path: `${BASE_PATH}/auth/policies/{policyId}/users`,
    summary: "List the users that a policy is attached to",
    description: `Those it is attached to directly. Needs the right to read the policy and \`auth:ReadUser\` on all users. ${PAGES}`,
    answer: answerWithPage("UserList", MANAGEMENT_EXAMPLES.Member),
    handler: (parts) => (call) =>
      list(call, parts, "getUser", parts.directory.policies.users, (user) => parts.shapes.user(user, call)),
  },
  {
    ...OF_POLICY,
    id: "listPolicyGroups",
    path: `${BASE_PATH}/auth/policies/{policyId}/groups`,
    summary: "List the groups that a policy is attached to",
    description: `Needs the right to read the policy and \`auth:ReadGroup\` on all groups. ${PAGES}`,
    answer: answerWithPage("GroupList", MANAGEMENT_EXAMPLES.Group),
    handler: (parts) => (call) => list(call, parts, "getGroup", parts.directory.policies.groups, groupBody),
  },
];

/** Whoever may read all of the holders may read their policies; the right to the policy alone does not name them. */
async function list<T>(
  call: UserCall,
  parts: ManagementParts,
  row: "getUser" | "getGroup",
  pages: (policy: string, page: PageRequest) => Promise<Page<T>>,
  shape: (item: T) => unknown,
): Promise<Reply> {
  const placeholder = row === "getUser" ? "userId" : "groupId";
  await requirePermission(parts, { id: row, values: new Map([[placeholder, "*"]]), fields: new Map() }, call);
  return listReply(call, (asked) => pages(param(call, 0), asked), shape);
}
