/** Policies (authorization-api.md §7, operations 11 to 15). */

import type { Directory, NewPolicy } from "../../directory/directory.ts";
import type { SetupRepeat } from "../../directory/write/setup-repeat.ts";
import type { Reply } from "../../http/route.ts";
import { isPossibleName } from "../../model/names.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { BodyFields } from "../rest/body-fields.ts";
import { json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { writtenPolicyWarnings } from "../rest/policy-warnings.ts";
import type { WarningLog } from "../rest/ports.ts";
import { type Operation, type OperationCall, readOperation, writeOperation } from "./operation.ts";
import { policyBody } from "./shapes.ts";
import type { CallAudit } from "./write-audit.ts";

const POLICY = "/auth/policies/{policyId}";

/** What the operations on policies need. */
export interface PolicyParts {
  readonly directory: Directory;
  readonly setup: SetupRepeat;
  readonly vocabulary: Vocabulary;
  readonly audit: CallAudit;
  readonly log: WarningLog;
}

/** The operations. */
export function policyOperations(parts: PolicyParts): readonly Operation[] {
  const { policies } = parts.directory;
  return [
    readOperation("listPolicies", "/auth/policies", (call) =>
      listReply(call, (page) => policies.list(page), policyBody),
    ),
    writeOperation("createPolicy", "POST", "/auth/policies", (call) => create(call, parts), true),
    readOperation("getPolicy", POLICY, async (call) =>
      json(200, policyBody(await policies.get(param(call, 0)))),
    ),
    writeOperation("updatePolicy", "PUT", POLICY, (call) => update(call, parts), true),
    writeOperation("deletePolicy", "DELETE", POLICY, async (call) => {
      const before = await policies.get(param(call, 0));
      await policies.delete(before.name);
      parts.audit.wrote(call, "deletePolicy", { policy: before.name, before });
      return NO_CONTENT;
    }),
  ];
}

function readPolicy(fields: BodyFields, name: string): NewPolicy {
  const acl = fields.optionalText("acl");
  const creation_date = fields.optionalNumber("creation_date");
  const statement = fields.statements("statement");
  fields.finish();
  return {
    name,
    statement,
    ...(acl === undefined ? {} : { acl }),
    ...(creation_date === undefined ? {} : { creation_date }),
  };
}

async function create(call: OperationCall, parts: PolicyParts): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const after = await parts.setup.createPolicy(readPolicy(fields, fields.text("name")));
  parts.audit.wrote(call, "createPolicy", { policy: after.name, after });
  return json(201, policyBody(after), writtenPolicyWarnings(call, after, parts));
}

async function update(call: OperationCall, parts: PolicyParts): Promise<Reply> {
  const { policies } = parts.directory;
  const name = param(call, 0);
  const fields = new BodyFields(call.body);
  const named = fields.optionalText("name");
  if (named !== undefined && named !== name)
    fields.check("name", "must be the name in the path: policies are not renamed");
  const policy = readPolicy(fields, name);
  // A missing policy is 404 before anything else: writing an ACL falls back to POST on that alone.
  const before = isPossibleName(name) ? await policies.get(name) : undefined;
  const after = await policies.update(policy);
  parts.audit.wrote(call, "updatePolicy", { policy: name, before, after });
  return json(200, policyBody(after), writtenPolicyWarnings(call, after, parts));
}
