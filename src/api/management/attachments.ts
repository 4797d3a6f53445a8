/** Policies of users and groups in the management API (permissions.md §12). */

import type { Directory, Page, PageRequest } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import type { Policy, Via } from "../../model/policy.ts";
import { created, param, removed } from "../rest/operation.ts";
import { listReply, pageOfSorted } from "../rest/pages.ts";
import { isEffective } from "../rest/query-fields.ts";
import type { Escalation } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { permitted, type UserCall, type UserOperation } from "./operation.ts";
import { policyBody } from "./shapes.ts";

const OF_USER = "/auth/users/{userId}/policies";
const OF_GROUP = "/auth/groups/{groupId}/policies";

/** What the operations on attachments need. */
export interface AttachmentParts {
  readonly directory: Directory;
  readonly audit: ManagementAudit;
  readonly escalation: Escalation;
  readonly holdings: Holdings;
}

type Attach = (holder: string, policy: string, judged: Policy | undefined) => Promise<void>;
type Detach = (holder: string, policy: string) => Promise<void>;

/** The operations. */
export function attachmentOperations(parts: AttachmentParts): readonly UserOperation[] {
  const { users, groups } = parts.directory;
  return [
    permitted("listUserPolicies", "GET", OF_USER, (call) =>
      listReply(
        call,
        (page) =>
          isEffective(call)
            ? effectivePage(parts.holdings, param(call, 0), page)
            : users.policies(param(call, 0), page),
        policyBody,
      ),
    ),
    permitted("attachPolicyToUser", "PUT", `${OF_USER}/{policyId}`, (call) =>
      attach(call, parts, "user", users.attachPolicy),
    ),
    permitted("detachPolicyFromUser", "DELETE", `${OF_USER}/{policyId}`, (call) =>
      detach(call, parts, "user", users.detachPolicy),
    ),
    permitted("listGroupPolicies", "GET", OF_GROUP, (call) =>
      listReply(call, (page) => groups.policies(param(call, 0), page), policyBody),
    ),
    permitted("attachPolicyToGroup", "PUT", `${OF_GROUP}/{policyId}`, (call) =>
      attach(call, parts, "group", groups.attachPolicy),
    ),
    permitted("detachPolicyFromGroup", "DELETE", `${OF_GROUP}/{policyId}`, (call) =>
      detach(call, parts, "group", groups.detachPolicy),
    ),
  ];
}

async function attach(
  call: UserCall,
  { directory, audit, escalation }: AttachmentParts,
  kind: "user" | "group",
  work: Attach,
): Promise<Reply> {
  const [holder, policy] = [param(call, 0), param(call, 1)];
  let judged: Policy | undefined;
  const warnings = await escalation.judge(call, {
    what: `attaching policy ${JSON.stringify(policy)} to ${kind} ${JSON.stringify(holder)}`,
    policies: async () => {
      judged = await directory.policies.get(policy);
      return [judged];
    },
  });
  // Somebody may have put another policy under the name while this one was looked at.
  await work(holder, policy, judged);
  audit.wrote(call, kind === "user" ? "attachPolicyToUser" : "attachPolicyToGroup", {
    [kind]: holder,
    policy,
  });
  return created(warnings);
}

async function detach(
  call: UserCall,
  { audit, escalation }: AttachmentParts,
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
