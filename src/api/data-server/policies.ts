/** Policies (authorization-api.md §7, operations 11 to 15). */

import type { Directory, NewPolicy } from "../../directory/directory.ts";
import type { SetupRepeat } from "../../directory/write/setup-repeat.ts";
import { isPossibleName } from "../../model/names.ts";
import type { Policy } from "../../model/policy.ts";
import { policyWarnings, QUICK_LOOK, type Vocabulary } from "../../model/policy-warnings.ts";
import { BodyFields } from "./body-fields.ts";
import {
  json,
  NO_CONTENT,
  type Operation,
  type OperationCall,
  param,
  type Reply,
  readOperation,
  writeOperation,
} from "./operation.ts";
import { listReply } from "./pages.ts";
import type { AuthorizationLog } from "./ports.ts";
import { policyBody } from "./shapes.ts";
import { warningHeaders } from "./warning-headers.ts";
import type { CallAudit } from "./write-audit.ts";

const POLICY = "/auth/policies/{policyId}";

/** What the operations on policies need. */
export interface PolicyParts {
  readonly directory: Directory;
  readonly setup: SetupRepeat;
  readonly vocabulary: Vocabulary;
  readonly audit: CallAudit;
  readonly log: AuthorizationLog;
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
  return json(201, policyBody(after), warnings(call, after, parts));
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
  return json(200, policyBody(after), warnings(call, after, parts));
}

/** Warns caller and log of what is valid in a policy but almost certainly a mistake. */
function warnings(
  call: OperationCall,
  policy: Policy,
  { vocabulary, log }: PolicyParts,
): readonly string[] | undefined {
  const found = policyWarnings(policy, vocabulary, QUICK_LOOK);
  if (found.length === 0) return undefined;
  log.warn("a policy was written that may not do what is meant", {
    policy: policy.name,
    actor: call.access.name,
    request_id: call.requestId,
    warnings: found,
  });
  return warningHeaders(found);
}
