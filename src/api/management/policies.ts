/** Policies in the management API (permissions.md §12). */

import type { Directory, NewPolicy } from "../../directory/directory.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { BodyFields, withFieldNames } from "../rest/body-fields.ts";
import { json, param, removed } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { writtenPolicyWarnings } from "../rest/policy-warnings.ts";
import type { WarningLog } from "../rest/ports.ts";
import { type Escalation, givenByReplacing } from "./escalation.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { askedByNewName } from "./new-names.ts";
import { permitted, type UserCall, type UserOperation } from "./operation.ts";
import { policyBody } from "./shapes.ts";

const POLICY = "/auth/policies/{policyId}";
const MISSING = { missing: "policy not found" };
const CREATION_NAMES = new Map([["/name", "/id"]]);
/** The label of a policy that is no access list: what a data server stores (authorization-api.md §15.9). */
const NO_LABEL = "";

/** What the operations on policies need. */
export interface PolicyParts {
  readonly directory: Directory;
  readonly vocabulary: Vocabulary;
  readonly audit: ManagementAudit;
  readonly escalation: Escalation;
  readonly log: WarningLog;
}

/** The operations. */
export function policyOperations(parts: PolicyParts): readonly UserOperation[] {
  const { policies } = parts.directory;
  return [
    permitted("listPolicies", "GET", "/auth/policies", (call) =>
      listReply(call, (page) => policies.list(page), policyBody),
    ),
    permitted(
      "createPolicy",
      "POST",
      "/auth/policies",
      (call) => create(call, parts),
      askedByNewName("Policy"),
    ),
    permitted(
      "getPolicy",
      "GET",
      POLICY,
      async (call) => json(200, policyBody(await policies.get(param(call, 0)))),
      MISSING,
    ),
    permitted("updatePolicy", "PUT", POLICY, (call) => update(call, parts), { takesBody: true, ...MISSING }),
    permitted(
      "deletePolicy",
      "DELETE",
      POLICY,
      async (call) => {
        const before = await policies.get(param(call, 0));
        const warnings = await parts.escalation.remove(
          call,
          {
            what: `deleting policy ${JSON.stringify(before.name)}`,
            takes: (name) => name === before.name,
          },
          () => policies.delete(before.name),
        );
        parts.audit.wrote(call, "deletePolicy", { policy: before.name, before });
        return removed(warnings);
      },
      MISSING,
    ),
  ];
}

function readPolicy(fields: BodyFields, name: string): NewPolicy {
  const statement = fields.statements("statement");
  fields.finish();
  return { name, statement, acl: NO_LABEL };
}

async function create(call: UserCall, parts: PolicyParts): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const policy = readPolicy(fields, fields.text("id"));
  const after = await withFieldNames(CREATION_NAMES, parts.directory.policies.create(policy));
  parts.audit.wrote(call, "createPolicy", { policy: after.name, after });
  return json(201, policyBody(after), writtenPolicyWarnings(call, after, parts));
}

async function update(call: UserCall, parts: PolicyParts): Promise<Reply> {
  const { policies } = parts.directory;
  const name = param(call, 0);
  const fields = new BodyFields(call.body);
  if (fields.text("id") !== name) throw new RequestRefused(400, "can't update policy id");
  const policy = readPolicy(fields, name);
  const before = await policies.get(name);
  const escalation = await parts.escalation.judge(call, {
    what: `updating policy ${JSON.stringify(name)}`,
    policies: async () => givenByReplacing([before], policy),
  });
  const after = await withFieldNames(CREATION_NAMES, policies.update(policy, before));
  parts.audit.wrote(call, "updatePolicy", { policy: name, before, after });
  return json(200, policyBody(after), [...escalation, ...writtenPolicyWarnings(call, after, parts)]);
}
