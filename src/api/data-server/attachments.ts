/** Policies of users and groups (authorization-api.md §7, operations 25 to 30). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Directory } from "../../directory/directory.ts";
import type { SetupRepeat } from "../../directory/write/setup-repeat.ts";
import type { Reply } from "../../http/route.ts";
import { created, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { isEffective } from "../rest/query-fields.ts";
import { EffectivePages } from "./effective-pages.ts";
import { type Operation, type OperationCall, readOperation, writeOperation } from "./operation.ts";
import { policyBody } from "./shapes.ts";
import type { CallAudit } from "./write-audit.ts";

const OF_USER = "/auth/users/{userId}/policies";
const OF_GROUP = "/auth/groups/{groupId}/policies";
/** What the operations on attachments need. */
export interface AttachmentParts {
  readonly directory: Directory;
  readonly decisions: Decisions;
  readonly setup: SetupRepeat;
  readonly audit: CallAudit;
}

/** The operations. */
export function attachmentOperations({
  directory,
  decisions,
  setup,
  audit,
}: AttachmentParts): readonly Operation[] {
  const { users, groups } = directory;
  const pages = new EffectivePages(decisions);
  const change =
    (
      operation: string,
      holder: "user" | "group",
      work: (holder: string, policy: string) => Promise<void>,
      reply: Reply,
    ) =>
    async (call: OperationCall): Promise<Reply> => {
      const [name, policy] = [param(call, 0), param(call, 1)];
      await work(name, policy);
      audit.wrote(call, operation, { [holder]: name, policy });
      return reply;
    };
  const listOfUser = (call: OperationCall): Reply | Promise<Reply> =>
    isEffective(call)
      ? pages.reply(param(call, 0), call.query)
      : listReply(call, (page) => users.policies(param(call, 0), page), policyBody);
  return [
    readOperation("listUserPolicies", OF_USER, listOfUser, true),
    writeOperation(
      "attachPolicyToUser",
      "PUT",
      `${OF_USER}/{policyId}`,
      change("attachPolicyToUser", "user", users.attachPolicy, created()),
    ),
    writeOperation(
      "detachPolicyFromUser",
      "DELETE",
      `${OF_USER}/{policyId}`,
      change("detachPolicyFromUser", "user", users.detachPolicy, NO_CONTENT),
    ),
    readOperation("listGroupPolicies", OF_GROUP, (call) =>
      listReply(call, (page) => groups.policies(param(call, 0), page), policyBody),
    ),
    writeOperation(
      "attachPolicyToGroup",
      "PUT",
      `${OF_GROUP}/{policyId}`,
      change(
        "attachPolicyToGroup",
        "group",
        (group, policy) => setup.attachPolicyToGroup(group, policy),
        created(),
      ),
    ),
    writeOperation(
      "detachPolicyFromGroup",
      "DELETE",
      `${OF_GROUP}/{policyId}`,
      change("detachPolicyFromGroup", "group", groups.detachPolicy, NO_CONTENT),
    ),
  ];
}
