/** Access lists of groups (management-cli.md §3, "groups acl"), as a data server keeps them: one labelled policy. */

import type { Directory } from "../../directory/directory.ts";
import { AuthorizerError, isErrorCode } from "../../errors.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import type { Policy } from "../../model/policy.ts";
import { BodyFields } from "../rest/body-fields.ts";
import { created, json, param } from "../rest/operation.ts";
import { type Escalation, givenByReplacing } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { permitted, type UserCall, type UserOperation } from "./operation.ts";
import type { GroupAcls } from "./ports.ts";

const ACL = "/auth/groups/{groupId}/acl";

/** What the operations on access lists need. */
export interface AclParts {
  readonly directory: Directory;
  readonly acls: GroupAcls;
  readonly audit: ManagementAudit;
  readonly escalation: Escalation;
  readonly holdings: Holdings;
}

/** The operations. */
export function aclOperations(parts: AclParts): readonly UserOperation[] {
  const fields: UserOperation["fields"] = (call) => [
    ["action.policy", parts.acls.policyName(param(call, 0))],
  ];
  return [
    permitted("getGroupACL", "GET", ACL, (call) => read(call, parts), { fields }),
    permitted("setGroupACL", "POST", ACL, (call) => write(call, parts), { takesBody: true, fields }),
  ];
}

function noAcl(message: string): Reply {
  return json(404, { message, no_acl: true });
}

/** A group without a policy has an empty access list, which allows nothing. */
async function read(call: UserCall, { directory }: AclParts): Promise<Reply> {
  const { results } = await directory.groups.policies(param(call, 0), { amount: 2 });
  if (results.length > 1) return noAcl("Multiple policies attached to group - no ACL");
  const [policy] = results;
  if (policy === undefined) return json(200, { permission: "" });
  if ((policy.acl ?? "") === "") return noAcl("Policy attached to group has no ACL");
  return json(200, { permission: policy.acl });
}

/** The policy that is written over, if there is one: it may be attached elsewhere. */
async function replaced(directory: Directory, name: string): Promise<readonly Policy[]> {
  try {
    return [await directory.policies.get(name)];
  } catch (error) {
    if (isErrorCode(error, "not_found")) return [];
    throw error;
  }
}

/** Writes the policy, attaches it and detaches all others, in one step. */
async function write(call: UserCall, parts: AclParts): Promise<Reply> {
  const { directory, acls, audit, escalation, holdings } = parts;
  const group = param(call, 0);
  const fields = new BodyFields(call.body);
  const permission = fields.text("permission");
  fields.finish();
  const statement = acls.statements(permission);
  if (statement === undefined) {
    throw new RequestRefused(400, `/permission: must be one of ${acls.permissions.join(", ")}`);
  }
  const name = acls.policyName(group);
  const policy = { name, acl: permission, statement };
  const { name: known } = await directory.groups.get(group);
  const before = await holdings.ofGroup(known);
  const warnings = await escalation.judge(call, {
    what: `setting the access list of group ${JSON.stringify(group)}`,
    policies: async () => givenByReplacing([...before, ...(await replaced(directory, name))], policy),
  });
  // A deny that came while this was judged would be lifted without being looked at.
  if (JSON.stringify(await holdings.ofGroup(known)) !== JSON.stringify(before)) {
    throw new AuthorizerError(
      "conflict",
      "the policies of the group were changed in the meantime, try again",
    );
  }
  await directory.batches.apply(
    [
      { op: "put_policy", policy },
      ...before
        .filter((attached) => attached.name !== name)
        .map((attached) => ({ op: "detach_from_group", group, policy: attached.name }) as const),
      { op: "attach_to_group", group, policy: name },
    ],
    { managed: false },
  );
  audit.wrote(call, "setGroupACL", {
    group,
    policy: name,
    before: before.map((attached) => attached.name),
    after: permission,
  });
  return created(warnings);
}
