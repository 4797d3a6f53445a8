/** Policies in the management API (permissions.md §12). */

import type { NewPolicy } from "../../directory/directory.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import { type GivenStatements, statementsOf } from "../rest/bodies.ts";
import { EXAMPLE_STATEMENT, EXAMPLE_TIME, WARNING_HEADER } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, json, param, removed } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { writtenPolicyWarnings } from "../rest/policy-warnings.ts";
import type { UserCall } from "./call.ts";
import {
  answerWith,
  answerWithPage,
  bodyOf,
  CREATE,
  LIST,
  type ManagementParts,
  READ,
  REMOVE,
  type UserDeclaration,
} from "./declaration.ts";
import { givenByReplacing } from "./escalation.ts";
import { decidedOnNewName } from "./new-names.ts";
import { policyBody } from "./shapes.ts";

const POLICIES = `${BASE_PATH}/auth/policies`;
const POLICY = `${POLICIES}/{policyId}`;
const TAG = { tag: "policies" } as const;
const ABOUT = { ...TAG, missing: "policy not found" } as const;
const CREATION_NAMES = new Map([["/name", "/id"]]);
/** The label of a policy that is no access list: what a data server stores (authorization-api.md §15.9). */
const NO_LABEL = "";
const WRITTEN = { id: "ReadData", statement: [EXAMPLE_STATEMENT] };

/** The example of a policy. */
export const EXAMPLE_POLICY = { ...WRITTEN, creation_date: EXAMPLE_TIME };

/** The operations. */
export const POLICY_OPERATIONS: readonly UserDeclaration[] = [
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
    body: bodyOf("PolicyWrite", WRITTEN),
    answer: { ...answerWith(201, "Policy", EXAMPLE_POLICY), headers: WARNING_HEADER },
    ...decidedOnNewName("Policy"),
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...ABOUT,
    id: "getPolicy",
    path: POLICY,
    summary: "Get a policy",
    description: "The statements exactly as they are stored.",
    answer: answerWith(200, "Policy", EXAMPLE_POLICY),
    handler:
      ({ directory: { policies } }) =>
      async (call) =>
        json(200, policyBody(await policies.get(param(call, 0)))),
  },
  {
    ...READ,
    ...ABOUT,
    method: "PUT",
    id: "updatePolicy",
    path: POLICY,
    summary: "Replace a policy",
    description:
      "All its statements are replaced. `authorizer.escalation` compares what it gives with what the caller holds.",
    body: bodyOf("PolicyWrite", WRITTEN),
    answer: { ...answerWith(200, "Policy", EXAMPLE_POLICY), headers: WARNING_HEADER },
    errors: [403, 404],
    handler: (parts) => (call) => update(call, parts),
  },
  {
    ...REMOVE,
    ...ABOUT,
    id: "deletePolicy",
    path: POLICY,
    summary: "Delete a policy",
    description: "It is detached from all users and groups.",
    errors: [403, 404],
    handler: (parts) => (call) => remove(call, parts),
  },
];

/** The body of a policy, after its shape was validated. */
interface GivenPolicy extends GivenStatements {
  readonly id: string;
}

function policyOf(body: GivenPolicy): NewPolicy {
  return { name: body.id, statement: statementsOf(body), acl: NO_LABEL };
}

async function create(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const policy = policyOf(call.body as GivenPolicy);
  const after = await withFieldNames(CREATION_NAMES, parts.directory.policies.create(policy));
  parts.audit.wrote(call, "createPolicy", { policy: after.name, after });
  return json(201, policyBody(after), writtenPolicyWarnings(call, after, parts));
}

async function update(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const { policies } = parts.directory;
  const name = param(call, 0);
  const policy = policyOf(call.body as GivenPolicy);
  if (policy.name !== name) throw new RequestRefused(400, "can't update policy id");
  const before = await policies.get(name);
  const escalation = await parts.escalation.checkGrant(call, {
    what: `updating policy ${JSON.stringify(name)}`,
    policies: async () => givenByReplacing([before], policy),
  });
  const after = await withFieldNames(CREATION_NAMES, policies.update(policy, before));
  parts.audit.wrote(call, "updatePolicy", { policy: name, before, after });
  return json(200, policyBody(after), [...escalation, ...writtenPolicyWarnings(call, after, parts)]);
}

async function remove(call: UserCall, { directory, audit, escalation }: ManagementParts): Promise<Reply> {
  const before = await directory.policies.get(param(call, 0));
  const warnings = await escalation.remove(
    call,
    {
      what: `deleting policy ${JSON.stringify(before.name)}`,
      takes: (name) => name === before.name,
    },
    () => directory.policies.delete(before.name),
  );
  audit.wrote(call, "deletePolicy", { policy: before.name, before });
  return removed(warnings);
}
