/** Policies (authorization-api.md §7, operations 11 to 15). */

import type { NewPolicy } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import { isPossibleName } from "../../model/names.ts";
import { faulty, type GivenStatements, given, statementsOf } from "../rest/bodies.ts";
import { EXAMPLE_STATEMENT, EXAMPLE_TIME, WARNING_HEADER } from "../rest/declared.ts";
import { BASE_PATH, json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { writtenPolicyWarnings } from "../rest/policy-warnings.ts";
import type { ServiceCall } from "../service-caller.ts";
import {
  answerWith,
  answerWithPage,
  bodyOf,
  CREATE,
  type DataServerDeclaration,
  type DataServerParts,
  LIST,
  READ,
  REMOVE,
  REPLACE,
} from "./declaration.ts";
import { policyBody } from "./shapes.ts";

const POLICIES = `${BASE_PATH}/auth/policies`;
const POLICY = `${POLICIES}/{policyId}`;
const TAG = { tag: "policies" } as const;
const WRITTEN = { name: "ReadData", statement: [EXAMPLE_STATEMENT] };

/** The example of a policy. */
export const EXAMPLE_POLICY = { ...WRITTEN, creation_date: EXAMPLE_TIME };

/** The operations. */
export const POLICY_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listPolicies",
    path: POLICIES,
    summary: "List policies",
    description: "All policies with their statements.",
    answer: answerWithPage("PolicyList", EXAMPLE_POLICY),
    errors: [400],
    handler:
      ({ directory: { policies } }) =>
      (call) =>
        listReply(call, (page) => policies.list(page), policyBody),
  },
  {
    ...CREATE,
    ...TAG,
    id: "createPolicy",
    path: POLICIES,
    summary: "Create a policy",
    description: "The policy has no effect until it is attached to a user or a group.",
    body: bodyOf("PolicyCreation", WRITTEN),
    answer: { ...answerWith(201, "Policy", EXAMPLE_POLICY), headers: WARNING_HEADER },
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...TAG,
    id: "getPolicy",
    path: POLICY,
    summary: "Get a policy",
    description: "The statements exactly as they are stored.",
    answer: answerWith(200, "Policy", EXAMPLE_POLICY),
    errors: [404],
    handler:
      ({ directory: { policies } }) =>
      async (call) =>
        json(200, policyBody(await policies.get(param(call, 0)))),
  },
  {
    ...REPLACE,
    ...TAG,
    id: "updatePolicy",
    path: POLICY,
    summary: "Replace a policy",
    description: "The path names the policy. All its statements are replaced.",
    body: bodyOf("PolicyUpdate", { statement: [EXAMPLE_STATEMENT] }),
    answer: { ...answerWith(200, "Policy", EXAMPLE_POLICY), headers: WARNING_HEADER },
    handler: (parts) => (call) => update(call, parts),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deletePolicy",
    path: POLICY,
    summary: "Delete a policy",
    description: "It is detached from all users and groups.",
    handler:
      ({ directory: { policies }, audit }) =>
      async (call) => {
        const before = await policies.get(param(call, 0));
        await policies.delete(before.name);
        audit.wrote(call, "deletePolicy", { policy: before.name, before });
        return NO_CONTENT;
      },
  },
];

/** The body of a policy, after its shape was validated. */
interface GivenPolicy extends GivenStatements {
  readonly name?: string | null;
  readonly acl?: string | null;
  readonly creation_date?: number | null;
}

function policyOf(body: GivenPolicy, name: string): NewPolicy {
  const { acl, creation_date } = body;
  return { name, statement: statementsOf(body), ...given({ acl, creation_date }) };
}

async function create(call: ServiceCall, parts: DataServerParts): Promise<Reply> {
  const body = call.body as GivenPolicy;
  const after = await parts.setup.createPolicy(policyOf(body, body.name as string));
  parts.audit.wrote(call, "createPolicy", { policy: after.name, after });
  return json(201, policyBody(after), writtenPolicyWarnings(call, after, parts));
}

async function update(call: ServiceCall, parts: DataServerParts): Promise<Reply> {
  const { policies } = parts.directory;
  const name = param(call, 0);
  const body = call.body as GivenPolicy;
  if ((body.name ?? name) !== name)
    throw faulty("name", "must be the name in the path: policies are not renamed");
  const policy = policyOf(body, name);
  // A missing policy is 404 before anything else: writing an ACL falls back to POST on that alone.
  const before = isPossibleName(name) ? await policies.get(name) : undefined;
  const after = await policies.update(policy);
  parts.audit.wrote(call, "updatePolicy", { policy: name, before, after });
  return json(200, policyBody(after), writtenPolicyWarnings(call, after, parts));
}
